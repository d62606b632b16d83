// Original file: rackwright/v1/drawing_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DrawRequest as _rackwright_v1_DrawRequest, DrawRequest__Output as _rackwright_v1_DrawRequest__Output } from '../../rackwright/v1/DrawRequest.ts';
import type { DrawResponse as _rackwright_v1_DrawResponse, DrawResponse__Output as _rackwright_v1_DrawResponse__Output } from '../../rackwright/v1/DrawResponse.ts';

export interface DrawingServiceClient extends grpc.Client {
  Draw(argument: _rackwright_v1_DrawRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DrawResponse__Output>;
  Draw(argument: _rackwright_v1_DrawRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DrawResponse__Output>;
  draw(argument: _rackwright_v1_DrawRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DrawResponse__Output>;
  draw(argument: _rackwright_v1_DrawRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DrawResponse__Output>;
  
}

export interface DrawingServiceHandlers extends grpc.UntypedServiceImplementation {
  Draw: grpc.handleServerStreamingCall<_rackwright_v1_DrawRequest__Output, _rackwright_v1_DrawResponse>;
  
}

export interface DrawingServiceDefinition extends grpc.ServiceDefinition {
  Draw: MethodDefinition<_rackwright_v1_DrawRequest, _rackwright_v1_DrawResponse, _rackwright_v1_DrawRequest__Output, _rackwright_v1_DrawResponse__Output>
}
