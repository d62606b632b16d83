// Original file: rackwright/v1/inventory_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetStatusRequest as _rackwright_v1_GetStatusRequest, GetStatusRequest__Output as _rackwright_v1_GetStatusRequest__Output } from '../../rackwright/v1/GetStatusRequest.ts';
import type { GetStatusResponse as _rackwright_v1_GetStatusResponse, GetStatusResponse__Output as _rackwright_v1_GetStatusResponse__Output } from '../../rackwright/v1/GetStatusResponse.ts';
import type { GetViewRequest as _rackwright_v1_GetViewRequest, GetViewRequest__Output as _rackwright_v1_GetViewRequest__Output } from '../../rackwright/v1/GetViewRequest.ts';
import type { GetViewResponse as _rackwright_v1_GetViewResponse, GetViewResponse__Output as _rackwright_v1_GetViewResponse__Output } from '../../rackwright/v1/GetViewResponse.ts';

export interface InventoryServiceClient extends grpc.Client {
  GetStatus(argument: _rackwright_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _rackwright_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _rackwright_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _rackwright_v1_GetStatusRequest, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _rackwright_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _rackwright_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _rackwright_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _rackwright_v1_GetStatusRequest, callback: grpc.requestCallback<_rackwright_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  
  GetView(argument: _rackwright_v1_GetViewRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_GetViewResponse__Output>;
  GetView(argument: _rackwright_v1_GetViewRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_GetViewResponse__Output>;
  getView(argument: _rackwright_v1_GetViewRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_GetViewResponse__Output>;
  getView(argument: _rackwright_v1_GetViewRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_GetViewResponse__Output>;
  
}

export interface InventoryServiceHandlers extends grpc.UntypedServiceImplementation {
  GetStatus: grpc.handleUnaryCall<_rackwright_v1_GetStatusRequest__Output, _rackwright_v1_GetStatusResponse>;
  
  GetView: grpc.handleServerStreamingCall<_rackwright_v1_GetViewRequest__Output, _rackwright_v1_GetViewResponse>;
  
}

export interface InventoryServiceDefinition extends grpc.ServiceDefinition {
  GetStatus: MethodDefinition<_rackwright_v1_GetStatusRequest, _rackwright_v1_GetStatusResponse, _rackwright_v1_GetStatusRequest__Output, _rackwright_v1_GetStatusResponse__Output>
  GetView: MethodDefinition<_rackwright_v1_GetViewRequest, _rackwright_v1_GetViewResponse, _rackwright_v1_GetViewRequest__Output, _rackwright_v1_GetViewResponse__Output>
}
