// Original file: rackwright/v1/console_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AttachRequest as _rackwright_v1_AttachRequest, AttachRequest__Output as _rackwright_v1_AttachRequest__Output } from '../../rackwright/v1/AttachRequest.ts';
import type { AttachResponse as _rackwright_v1_AttachResponse, AttachResponse__Output as _rackwright_v1_AttachResponse__Output } from '../../rackwright/v1/AttachResponse.ts';
import type { FollowRequest as _rackwright_v1_FollowRequest, FollowRequest__Output as _rackwright_v1_FollowRequest__Output } from '../../rackwright/v1/FollowRequest.ts';
import type { FollowResponse as _rackwright_v1_FollowResponse, FollowResponse__Output as _rackwright_v1_FollowResponse__Output } from '../../rackwright/v1/FollowResponse.ts';

export interface ConsoleServiceClient extends grpc.Client {
  Attach(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_rackwright_v1_AttachRequest, _rackwright_v1_AttachResponse__Output>;
  Attach(options?: grpc.CallOptions): grpc.ClientDuplexStream<_rackwright_v1_AttachRequest, _rackwright_v1_AttachResponse__Output>;
  attach(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_rackwright_v1_AttachRequest, _rackwright_v1_AttachResponse__Output>;
  attach(options?: grpc.CallOptions): grpc.ClientDuplexStream<_rackwright_v1_AttachRequest, _rackwright_v1_AttachResponse__Output>;
  
  Follow(argument: _rackwright_v1_FollowRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_FollowResponse__Output>;
  Follow(argument: _rackwright_v1_FollowRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_FollowResponse__Output>;
  follow(argument: _rackwright_v1_FollowRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_FollowResponse__Output>;
  follow(argument: _rackwright_v1_FollowRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_FollowResponse__Output>;
  
}

export interface ConsoleServiceHandlers extends grpc.UntypedServiceImplementation {
  Attach: grpc.handleBidiStreamingCall<_rackwright_v1_AttachRequest__Output, _rackwright_v1_AttachResponse>;
  
  Follow: grpc.handleServerStreamingCall<_rackwright_v1_FollowRequest__Output, _rackwright_v1_FollowResponse>;
  
}

export interface ConsoleServiceDefinition extends grpc.ServiceDefinition {
  Attach: MethodDefinition<_rackwright_v1_AttachRequest, _rackwright_v1_AttachResponse, _rackwright_v1_AttachRequest__Output, _rackwright_v1_AttachResponse__Output>
  Follow: MethodDefinition<_rackwright_v1_FollowRequest, _rackwright_v1_FollowResponse, _rackwright_v1_FollowRequest__Output, _rackwright_v1_FollowResponse__Output>
}
