import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from './rackwright/v1/Artifact.ts';
import type { ArtifactDescription as _rackwright_v1_ArtifactDescription, ArtifactDescription__Output as _rackwright_v1_ArtifactDescription__Output } from './rackwright/v1/ArtifactDescription.ts';
import type { ArtifactFile as _rackwright_v1_ArtifactFile, ArtifactFile__Output as _rackwright_v1_ArtifactFile__Output } from './rackwright/v1/ArtifactFile.ts';
import type { ArtifactMatch as _rackwright_v1_ArtifactMatch, ArtifactMatch__Output as _rackwright_v1_ArtifactMatch__Output } from './rackwright/v1/ArtifactMatch.ts';
import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from './rackwright/v1/ArtifactPlace.ts';
import type { BuildDetail as _rackwright_v1_BuildDetail, BuildDetail__Output as _rackwright_v1_BuildDetail__Output } from './rackwright/v1/BuildDetail.ts';
import type { ChangelogEntry as _rackwright_v1_ChangelogEntry, ChangelogEntry__Output as _rackwright_v1_ChangelogEntry__Output } from './rackwright/v1/ChangelogEntry.ts';
import type { DeletionDetail as _rackwright_v1_DeletionDetail, DeletionDetail__Output as _rackwright_v1_DeletionDetail__Output } from './rackwright/v1/DeletionDetail.ts';
import type { EnvironmentDetail as _rackwright_v1_EnvironmentDetail, EnvironmentDetail__Output as _rackwright_v1_EnvironmentDetail__Output } from './rackwright/v1/EnvironmentDetail.ts';
import type { ImageDetail as _rackwright_v1_ImageDetail, ImageDetail__Output as _rackwright_v1_ImageDetail__Output } from './rackwright/v1/ImageDetail.ts';
import type { KeyringDetail as _rackwright_v1_KeyringDetail, KeyringDetail__Output as _rackwright_v1_KeyringDetail__Output } from './rackwright/v1/KeyringDetail.ts';
import type { Progress as _rackwright_v1_Progress, Progress__Output as _rackwright_v1_Progress__Output } from './rackwright/v1/Progress.ts';
import type { PurgeDetail as _rackwright_v1_PurgeDetail, PurgeDetail__Output as _rackwright_v1_PurgeDetail__Output } from './rackwright/v1/PurgeDetail.ts';
import type { RegistryDetail as _rackwright_v1_RegistryDetail, RegistryDetail__Output as _rackwright_v1_RegistryDetail__Output } from './rackwright/v1/RegistryDetail.ts';
import type { SourceArchive as _rackwright_v1_SourceArchive, SourceArchive__Output as _rackwright_v1_SourceArchive__Output } from './rackwright/v1/SourceArchive.ts';
import type { Task as _rackwright_v1_Task, Task__Output as _rackwright_v1_Task__Output } from './rackwright/v1/Task.ts';
import type { TaskIo as _rackwright_v1_TaskIo, TaskIo__Output as _rackwright_v1_TaskIo__Output } from './rackwright/v1/TaskIo.ts';
import type { Usage as _rackwright_v1_Usage, Usage__Output as _rackwright_v1_Usage__Output } from './rackwright/v1/Usage.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      Artifact: MessageTypeDefinition<_rackwright_v1_Artifact, _rackwright_v1_Artifact__Output>
      ArtifactDescription: MessageTypeDefinition<_rackwright_v1_ArtifactDescription, _rackwright_v1_ArtifactDescription__Output>
      ArtifactFile: MessageTypeDefinition<_rackwright_v1_ArtifactFile, _rackwright_v1_ArtifactFile__Output>
      ArtifactMatch: MessageTypeDefinition<_rackwright_v1_ArtifactMatch, _rackwright_v1_ArtifactMatch__Output>
      ArtifactPlace: MessageTypeDefinition<_rackwright_v1_ArtifactPlace, _rackwright_v1_ArtifactPlace__Output>
      BuildDetail: MessageTypeDefinition<_rackwright_v1_BuildDetail, _rackwright_v1_BuildDetail__Output>
      ChangelogEntry: MessageTypeDefinition<_rackwright_v1_ChangelogEntry, _rackwright_v1_ChangelogEntry__Output>
      DeletionDetail: MessageTypeDefinition<_rackwright_v1_DeletionDetail, _rackwright_v1_DeletionDetail__Output>
      EnvironmentDetail: MessageTypeDefinition<_rackwright_v1_EnvironmentDetail, _rackwright_v1_EnvironmentDetail__Output>
      ImageDetail: MessageTypeDefinition<_rackwright_v1_ImageDetail, _rackwright_v1_ImageDetail__Output>
      KeyringDetail: MessageTypeDefinition<_rackwright_v1_KeyringDetail, _rackwright_v1_KeyringDetail__Output>
      Progress: MessageTypeDefinition<_rackwright_v1_Progress, _rackwright_v1_Progress__Output>
      PurgeDetail: MessageTypeDefinition<_rackwright_v1_PurgeDetail, _rackwright_v1_PurgeDetail__Output>
      RegistryDetail: MessageTypeDefinition<_rackwright_v1_RegistryDetail, _rackwright_v1_RegistryDetail__Output>
      SourceArchive: MessageTypeDefinition<_rackwright_v1_SourceArchive, _rackwright_v1_SourceArchive__Output>
      Task: MessageTypeDefinition<_rackwright_v1_Task, _rackwright_v1_Task__Output>
      TaskIo: MessageTypeDefinition<_rackwright_v1_TaskIo, _rackwright_v1_TaskIo__Output>
      TaskResult: EnumTypeDefinition
      TaskState: EnumTypeDefinition
      Usage: MessageTypeDefinition<_rackwright_v1_Usage, _rackwright_v1_Usage__Output>
    }
  }
}

