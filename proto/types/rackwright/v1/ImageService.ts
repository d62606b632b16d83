// Original file: rackwright/v1/image_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateEnvironmentRequest as _rackwright_v1_CreateEnvironmentRequest, CreateEnvironmentRequest__Output as _rackwright_v1_CreateEnvironmentRequest__Output } from '../../rackwright/v1/CreateEnvironmentRequest.ts';
import type { CreateEnvironmentResponse as _rackwright_v1_CreateEnvironmentResponse, CreateEnvironmentResponse__Output as _rackwright_v1_CreateEnvironmentResponse__Output } from '../../rackwright/v1/CreateEnvironmentResponse.ts';
import type { CreateImageRequest as _rackwright_v1_CreateImageRequest, CreateImageRequest__Output as _rackwright_v1_CreateImageRequest__Output } from '../../rackwright/v1/CreateImageRequest.ts';
import type { CreateImageResponse as _rackwright_v1_CreateImageResponse, CreateImageResponse__Output as _rackwright_v1_CreateImageResponse__Output } from '../../rackwright/v1/CreateImageResponse.ts';
import type { ListImagesRequest as _rackwright_v1_ListImagesRequest, ListImagesRequest__Output as _rackwright_v1_ListImagesRequest__Output } from '../../rackwright/v1/ListImagesRequest.ts';
import type { ListImagesResponse as _rackwright_v1_ListImagesResponse, ListImagesResponse__Output as _rackwright_v1_ListImagesResponse__Output } from '../../rackwright/v1/ListImagesResponse.ts';
import type { OpenShellRequest as _rackwright_v1_OpenShellRequest, OpenShellRequest__Output as _rackwright_v1_OpenShellRequest__Output } from '../../rackwright/v1/OpenShellRequest.ts';
import type { OpenShellResponse as _rackwright_v1_OpenShellResponse, OpenShellResponse__Output as _rackwright_v1_OpenShellResponse__Output } from '../../rackwright/v1/OpenShellResponse.ts';
import type { UpdateEnvironmentRequest as _rackwright_v1_UpdateEnvironmentRequest, UpdateEnvironmentRequest__Output as _rackwright_v1_UpdateEnvironmentRequest__Output } from '../../rackwright/v1/UpdateEnvironmentRequest.ts';
import type { UpdateEnvironmentResponse as _rackwright_v1_UpdateEnvironmentResponse, UpdateEnvironmentResponse__Output as _rackwright_v1_UpdateEnvironmentResponse__Output } from '../../rackwright/v1/UpdateEnvironmentResponse.ts';
import type { UpdateImageRequest as _rackwright_v1_UpdateImageRequest, UpdateImageRequest__Output as _rackwright_v1_UpdateImageRequest__Output } from '../../rackwright/v1/UpdateImageRequest.ts';
import type { UpdateImageResponse as _rackwright_v1_UpdateImageResponse, UpdateImageResponse__Output as _rackwright_v1_UpdateImageResponse__Output } from '../../rackwright/v1/UpdateImageResponse.ts';

export interface ImageServiceClient extends grpc.Client {
  CreateEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  CreateEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  CreateEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  CreateEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  createEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  createEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  createEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  createEnvironment(argument: _rackwright_v1_CreateEnvironmentRequest, callback: grpc.requestCallback<_rackwright_v1_CreateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  
  CreateImage(argument: _rackwright_v1_CreateImageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  CreateImage(argument: _rackwright_v1_CreateImageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  CreateImage(argument: _rackwright_v1_CreateImageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  CreateImage(argument: _rackwright_v1_CreateImageRequest, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  createImage(argument: _rackwright_v1_CreateImageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  createImage(argument: _rackwright_v1_CreateImageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  createImage(argument: _rackwright_v1_CreateImageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  createImage(argument: _rackwright_v1_CreateImageRequest, callback: grpc.requestCallback<_rackwright_v1_CreateImageResponse__Output>): grpc.ClientUnaryCall;
  
  ListImages(argument: _rackwright_v1_ListImagesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  ListImages(argument: _rackwright_v1_ListImagesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  ListImages(argument: _rackwright_v1_ListImagesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  ListImages(argument: _rackwright_v1_ListImagesRequest, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  listImages(argument: _rackwright_v1_ListImagesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  listImages(argument: _rackwright_v1_ListImagesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  listImages(argument: _rackwright_v1_ListImagesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  listImages(argument: _rackwright_v1_ListImagesRequest, callback: grpc.requestCallback<_rackwright_v1_ListImagesResponse__Output>): grpc.ClientUnaryCall;
  
  OpenShell(argument: _rackwright_v1_OpenShellRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  OpenShell(argument: _rackwright_v1_OpenShellRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  OpenShell(argument: _rackwright_v1_OpenShellRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  OpenShell(argument: _rackwright_v1_OpenShellRequest, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  openShell(argument: _rackwright_v1_OpenShellRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  openShell(argument: _rackwright_v1_OpenShellRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  openShell(argument: _rackwright_v1_OpenShellRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  openShell(argument: _rackwright_v1_OpenShellRequest, callback: grpc.requestCallback<_rackwright_v1_OpenShellResponse__Output>): grpc.ClientUnaryCall;
  
  UpdateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  UpdateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  UpdateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  UpdateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  updateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  updateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  updateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  updateEnvironment(argument: _rackwright_v1_UpdateEnvironmentRequest, callback: grpc.requestCallback<_rackwright_v1_UpdateEnvironmentResponse__Output>): grpc.ClientUnaryCall;
  
  UpdateImage(argument: _rackwright_v1_UpdateImageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  UpdateImage(argument: _rackwright_v1_UpdateImageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  UpdateImage(argument: _rackwright_v1_UpdateImageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  UpdateImage(argument: _rackwright_v1_UpdateImageRequest, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  updateImage(argument: _rackwright_v1_UpdateImageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  updateImage(argument: _rackwright_v1_UpdateImageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  updateImage(argument: _rackwright_v1_UpdateImageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  updateImage(argument: _rackwright_v1_UpdateImageRequest, callback: grpc.requestCallback<_rackwright_v1_UpdateImageResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface ImageServiceHandlers extends grpc.UntypedServiceImplementation {
  CreateEnvironment: grpc.handleUnaryCall<_rackwright_v1_CreateEnvironmentRequest__Output, _rackwright_v1_CreateEnvironmentResponse>;
  
  CreateImage: grpc.handleUnaryCall<_rackwright_v1_CreateImageRequest__Output, _rackwright_v1_CreateImageResponse>;
  
  ListImages: grpc.handleUnaryCall<_rackwright_v1_ListImagesRequest__Output, _rackwright_v1_ListImagesResponse>;
  
  OpenShell: grpc.handleUnaryCall<_rackwright_v1_OpenShellRequest__Output, _rackwright_v1_OpenShellResponse>;
  
  UpdateEnvironment: grpc.handleUnaryCall<_rackwright_v1_UpdateEnvironmentRequest__Output, _rackwright_v1_UpdateEnvironmentResponse>;
  
  UpdateImage: grpc.handleUnaryCall<_rackwright_v1_UpdateImageRequest__Output, _rackwright_v1_UpdateImageResponse>;
  
}

export interface ImageServiceDefinition extends grpc.ServiceDefinition {
  CreateEnvironment: MethodDefinition<_rackwright_v1_CreateEnvironmentRequest, _rackwright_v1_CreateEnvironmentResponse, _rackwright_v1_CreateEnvironmentRequest__Output, _rackwright_v1_CreateEnvironmentResponse__Output>
  CreateImage: MethodDefinition<_rackwright_v1_CreateImageRequest, _rackwright_v1_CreateImageResponse, _rackwright_v1_CreateImageRequest__Output, _rackwright_v1_CreateImageResponse__Output>
  ListImages: MethodDefinition<_rackwright_v1_ListImagesRequest, _rackwright_v1_ListImagesResponse, _rackwright_v1_ListImagesRequest__Output, _rackwright_v1_ListImagesResponse__Output>
  OpenShell: MethodDefinition<_rackwright_v1_OpenShellRequest, _rackwright_v1_OpenShellResponse, _rackwright_v1_OpenShellRequest__Output, _rackwright_v1_OpenShellResponse__Output>
  UpdateEnvironment: MethodDefinition<_rackwright_v1_UpdateEnvironmentRequest, _rackwright_v1_UpdateEnvironmentResponse, _rackwright_v1_UpdateEnvironmentRequest__Output, _rackwright_v1_UpdateEnvironmentResponse__Output>
  UpdateImage: MethodDefinition<_rackwright_v1_UpdateImageRequest, _rackwright_v1_UpdateImageResponse, _rackwright_v1_UpdateImageRequest__Output, _rackwright_v1_UpdateImageResponse__Output>
}
