import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { CreateEnvironmentRequest as _rackwright_v1_CreateEnvironmentRequest, CreateEnvironmentRequest__Output as _rackwright_v1_CreateEnvironmentRequest__Output } from './rackwright/v1/CreateEnvironmentRequest.ts';
import type { CreateEnvironmentResponse as _rackwright_v1_CreateEnvironmentResponse, CreateEnvironmentResponse__Output as _rackwright_v1_CreateEnvironmentResponse__Output } from './rackwright/v1/CreateEnvironmentResponse.ts';
import type { CreateImageRequest as _rackwright_v1_CreateImageRequest, CreateImageRequest__Output as _rackwright_v1_CreateImageRequest__Output } from './rackwright/v1/CreateImageRequest.ts';
import type { CreateImageResponse as _rackwright_v1_CreateImageResponse, CreateImageResponse__Output as _rackwright_v1_CreateImageResponse__Output } from './rackwright/v1/CreateImageResponse.ts';
import type { Environment as _rackwright_v1_Environment, Environment__Output as _rackwright_v1_Environment__Output } from './rackwright/v1/Environment.ts';
import type { Image as _rackwright_v1_Image, Image__Output as _rackwright_v1_Image__Output } from './rackwright/v1/Image.ts';
import type { ImageServiceClient as _rackwright_v1_ImageServiceClient, ImageServiceDefinition as _rackwright_v1_ImageServiceDefinition } from './rackwright/v1/ImageService.ts';
import type { ListImagesRequest as _rackwright_v1_ListImagesRequest, ListImagesRequest__Output as _rackwright_v1_ListImagesRequest__Output } from './rackwright/v1/ListImagesRequest.ts';
import type { ListImagesResponse as _rackwright_v1_ListImagesResponse, ListImagesResponse__Output as _rackwright_v1_ListImagesResponse__Output } from './rackwright/v1/ListImagesResponse.ts';
import type { OpenShellRequest as _rackwright_v1_OpenShellRequest, OpenShellRequest__Output as _rackwright_v1_OpenShellRequest__Output } from './rackwright/v1/OpenShellRequest.ts';
import type { OpenShellResponse as _rackwright_v1_OpenShellResponse, OpenShellResponse__Output as _rackwright_v1_OpenShellResponse__Output } from './rackwright/v1/OpenShellResponse.ts';
import type { UpdateEnvironmentRequest as _rackwright_v1_UpdateEnvironmentRequest, UpdateEnvironmentRequest__Output as _rackwright_v1_UpdateEnvironmentRequest__Output } from './rackwright/v1/UpdateEnvironmentRequest.ts';
import type { UpdateEnvironmentResponse as _rackwright_v1_UpdateEnvironmentResponse, UpdateEnvironmentResponse__Output as _rackwright_v1_UpdateEnvironmentResponse__Output } from './rackwright/v1/UpdateEnvironmentResponse.ts';
import type { UpdateImageRequest as _rackwright_v1_UpdateImageRequest, UpdateImageRequest__Output as _rackwright_v1_UpdateImageRequest__Output } from './rackwright/v1/UpdateImageRequest.ts';
import type { UpdateImageResponse as _rackwright_v1_UpdateImageResponse, UpdateImageResponse__Output as _rackwright_v1_UpdateImageResponse__Output } from './rackwright/v1/UpdateImageResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      CreateEnvironmentRequest: MessageTypeDefinition<_rackwright_v1_CreateEnvironmentRequest, _rackwright_v1_CreateEnvironmentRequest__Output>
      CreateEnvironmentResponse: MessageTypeDefinition<_rackwright_v1_CreateEnvironmentResponse, _rackwright_v1_CreateEnvironmentResponse__Output>
      CreateImageRequest: MessageTypeDefinition<_rackwright_v1_CreateImageRequest, _rackwright_v1_CreateImageRequest__Output>
      CreateImageResponse: MessageTypeDefinition<_rackwright_v1_CreateImageResponse, _rackwright_v1_CreateImageResponse__Output>
      Environment: MessageTypeDefinition<_rackwright_v1_Environment, _rackwright_v1_Environment__Output>
      Image: MessageTypeDefinition<_rackwright_v1_Image, _rackwright_v1_Image__Output>
      ImageService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_ImageServiceClient> & { service: _rackwright_v1_ImageServiceDefinition }
      ListImagesRequest: MessageTypeDefinition<_rackwright_v1_ListImagesRequest, _rackwright_v1_ListImagesRequest__Output>
      ListImagesResponse: MessageTypeDefinition<_rackwright_v1_ListImagesResponse, _rackwright_v1_ListImagesResponse__Output>
      OpenShellRequest: MessageTypeDefinition<_rackwright_v1_OpenShellRequest, _rackwright_v1_OpenShellRequest__Output>
      OpenShellResponse: MessageTypeDefinition<_rackwright_v1_OpenShellResponse, _rackwright_v1_OpenShellResponse__Output>
      UpdateEnvironmentRequest: MessageTypeDefinition<_rackwright_v1_UpdateEnvironmentRequest, _rackwright_v1_UpdateEnvironmentRequest__Output>
      UpdateEnvironmentResponse: MessageTypeDefinition<_rackwright_v1_UpdateEnvironmentResponse, _rackwright_v1_UpdateEnvironmentResponse__Output>
      UpdateImageRequest: MessageTypeDefinition<_rackwright_v1_UpdateImageRequest, _rackwright_v1_UpdateImageRequest__Output>
      UpdateImageResponse: MessageTypeDefinition<_rackwright_v1_UpdateImageResponse, _rackwright_v1_UpdateImageResponse__Output>
    }
  }
}

