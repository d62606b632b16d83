// Original file: rackwright/v1/build_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { PrepareBuildRequest as _rackwright_v1_PrepareBuildRequest, PrepareBuildRequest__Output as _rackwright_v1_PrepareBuildRequest__Output } from '../../rackwright/v1/PrepareBuildRequest.ts';
import type { PrepareBuildResponse as _rackwright_v1_PrepareBuildResponse, PrepareBuildResponse__Output as _rackwright_v1_PrepareBuildResponse__Output } from '../../rackwright/v1/PrepareBuildResponse.ts';
import type { SubmitBuildRequest as _rackwright_v1_SubmitBuildRequest, SubmitBuildRequest__Output as _rackwright_v1_SubmitBuildRequest__Output } from '../../rackwright/v1/SubmitBuildRequest.ts';
import type { SubmitBuildResponse as _rackwright_v1_SubmitBuildResponse, SubmitBuildResponse__Output as _rackwright_v1_SubmitBuildResponse__Output } from '../../rackwright/v1/SubmitBuildResponse.ts';
import type { UploadBuildRequest as _rackwright_v1_UploadBuildRequest, UploadBuildRequest__Output as _rackwright_v1_UploadBuildRequest__Output } from '../../rackwright/v1/UploadBuildRequest.ts';
import type { UploadBuildResponse as _rackwright_v1_UploadBuildResponse, UploadBuildResponse__Output as _rackwright_v1_UploadBuildResponse__Output } from '../../rackwright/v1/UploadBuildResponse.ts';

export interface BuildServiceClient extends grpc.Client {
  PrepareBuild(argument: _rackwright_v1_PrepareBuildRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  PrepareBuild(argument: _rackwright_v1_PrepareBuildRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  PrepareBuild(argument: _rackwright_v1_PrepareBuildRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  PrepareBuild(argument: _rackwright_v1_PrepareBuildRequest, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  prepareBuild(argument: _rackwright_v1_PrepareBuildRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  prepareBuild(argument: _rackwright_v1_PrepareBuildRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  prepareBuild(argument: _rackwright_v1_PrepareBuildRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  prepareBuild(argument: _rackwright_v1_PrepareBuildRequest, callback: grpc.requestCallback<_rackwright_v1_PrepareBuildResponse__Output>): grpc.ClientUnaryCall;
  
  SubmitBuild(argument: _rackwright_v1_SubmitBuildRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  SubmitBuild(argument: _rackwright_v1_SubmitBuildRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  SubmitBuild(argument: _rackwright_v1_SubmitBuildRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  SubmitBuild(argument: _rackwright_v1_SubmitBuildRequest, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  submitBuild(argument: _rackwright_v1_SubmitBuildRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  submitBuild(argument: _rackwright_v1_SubmitBuildRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  submitBuild(argument: _rackwright_v1_SubmitBuildRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  submitBuild(argument: _rackwright_v1_SubmitBuildRequest, callback: grpc.requestCallback<_rackwright_v1_SubmitBuildResponse__Output>): grpc.ClientUnaryCall;
  
  UploadBuild(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  UploadBuild(metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  UploadBuild(options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  UploadBuild(callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  uploadBuild(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  uploadBuild(metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  uploadBuild(options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  uploadBuild(callback: grpc.requestCallback<_rackwright_v1_UploadBuildResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadBuildRequest>;
  
}

export interface BuildServiceHandlers extends grpc.UntypedServiceImplementation {
  PrepareBuild: grpc.handleUnaryCall<_rackwright_v1_PrepareBuildRequest__Output, _rackwright_v1_PrepareBuildResponse>;
  
  SubmitBuild: grpc.handleUnaryCall<_rackwright_v1_SubmitBuildRequest__Output, _rackwright_v1_SubmitBuildResponse>;
  
  UploadBuild: grpc.handleClientStreamingCall<_rackwright_v1_UploadBuildRequest__Output, _rackwright_v1_UploadBuildResponse>;
  
}

export interface BuildServiceDefinition extends grpc.ServiceDefinition {
  PrepareBuild: MethodDefinition<_rackwright_v1_PrepareBuildRequest, _rackwright_v1_PrepareBuildResponse, _rackwright_v1_PrepareBuildRequest__Output, _rackwright_v1_PrepareBuildResponse__Output>
  SubmitBuild: MethodDefinition<_rackwright_v1_SubmitBuildRequest, _rackwright_v1_SubmitBuildResponse, _rackwright_v1_SubmitBuildRequest__Output, _rackwright_v1_SubmitBuildResponse__Output>
  UploadBuild: MethodDefinition<_rackwright_v1_UploadBuildRequest, _rackwright_v1_UploadBuildResponse, _rackwright_v1_UploadBuildRequest__Output, _rackwright_v1_UploadBuildResponse__Output>
}
