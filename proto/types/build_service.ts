import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { BuildServiceClient as _rackwright_v1_BuildServiceClient, BuildServiceDefinition as _rackwright_v1_BuildServiceDefinition } from './rackwright/v1/BuildService.ts';
import type { PrepareBuildRequest as _rackwright_v1_PrepareBuildRequest, PrepareBuildRequest__Output as _rackwright_v1_PrepareBuildRequest__Output } from './rackwright/v1/PrepareBuildRequest.ts';
import type { PrepareBuildResponse as _rackwright_v1_PrepareBuildResponse, PrepareBuildResponse__Output as _rackwright_v1_PrepareBuildResponse__Output } from './rackwright/v1/PrepareBuildResponse.ts';
import type { SourceUpload as _rackwright_v1_SourceUpload, SourceUpload__Output as _rackwright_v1_SourceUpload__Output } from './rackwright/v1/SourceUpload.ts';
import type { SpooledFile as _rackwright_v1_SpooledFile, SpooledFile__Output as _rackwright_v1_SpooledFile__Output } from './rackwright/v1/SpooledFile.ts';
import type { SubmitBuildRequest as _rackwright_v1_SubmitBuildRequest, SubmitBuildRequest__Output as _rackwright_v1_SubmitBuildRequest__Output } from './rackwright/v1/SubmitBuildRequest.ts';
import type { SubmitBuildResponse as _rackwright_v1_SubmitBuildResponse, SubmitBuildResponse__Output as _rackwright_v1_SubmitBuildResponse__Output } from './rackwright/v1/SubmitBuildResponse.ts';
import type { UploadBuildRequest as _rackwright_v1_UploadBuildRequest, UploadBuildRequest__Output as _rackwright_v1_UploadBuildRequest__Output } from './rackwright/v1/UploadBuildRequest.ts';
import type { UploadBuildResponse as _rackwright_v1_UploadBuildResponse, UploadBuildResponse__Output as _rackwright_v1_UploadBuildResponse__Output } from './rackwright/v1/UploadBuildResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      BuildService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_BuildServiceClient> & { service: _rackwright_v1_BuildServiceDefinition }
      PrepareBuildRequest: MessageTypeDefinition<_rackwright_v1_PrepareBuildRequest, _rackwright_v1_PrepareBuildRequest__Output>
      PrepareBuildResponse: MessageTypeDefinition<_rackwright_v1_PrepareBuildResponse, _rackwright_v1_PrepareBuildResponse__Output>
      SourceUpload: MessageTypeDefinition<_rackwright_v1_SourceUpload, _rackwright_v1_SourceUpload__Output>
      SpooledFile: MessageTypeDefinition<_rackwright_v1_SpooledFile, _rackwright_v1_SpooledFile__Output>
      SubmitBuildRequest: MessageTypeDefinition<_rackwright_v1_SubmitBuildRequest, _rackwright_v1_SubmitBuildRequest__Output>
      SubmitBuildResponse: MessageTypeDefinition<_rackwright_v1_SubmitBuildResponse, _rackwright_v1_SubmitBuildResponse__Output>
      UploadBuildRequest: MessageTypeDefinition<_rackwright_v1_UploadBuildRequest, _rackwright_v1_UploadBuildRequest__Output>
      UploadBuildResponse: MessageTypeDefinition<_rackwright_v1_UploadBuildResponse, _rackwright_v1_UploadBuildResponse__Output>
    }
  }
}

