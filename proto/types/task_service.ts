import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from './rackwright/v1/Artifact.ts';
import type { ArtifactDescription as _rackwright_v1_ArtifactDescription, ArtifactDescription__Output as _rackwright_v1_ArtifactDescription__Output } from './rackwright/v1/ArtifactDescription.ts';
import type { ArtifactFile as _rackwright_v1_ArtifactFile, ArtifactFile__Output as _rackwright_v1_ArtifactFile__Output } from './rackwright/v1/ArtifactFile.ts';
import type { ArtifactMatch as _rackwright_v1_ArtifactMatch, ArtifactMatch__Output as _rackwright_v1_ArtifactMatch__Output } from './rackwright/v1/ArtifactMatch.ts';
import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from './rackwright/v1/ArtifactPlace.ts';
import type { BuildDetail as _rackwright_v1_BuildDetail, BuildDetail__Output as _rackwright_v1_BuildDetail__Output } from './rackwright/v1/BuildDetail.ts';
import type { CancelTaskRequest as _rackwright_v1_CancelTaskRequest, CancelTaskRequest__Output as _rackwright_v1_CancelTaskRequest__Output } from './rackwright/v1/CancelTaskRequest.ts';
import type { CancelTaskResponse as _rackwright_v1_CancelTaskResponse, CancelTaskResponse__Output as _rackwright_v1_CancelTaskResponse__Output } from './rackwright/v1/CancelTaskResponse.ts';
import type { ChangelogEntry as _rackwright_v1_ChangelogEntry, ChangelogEntry__Output as _rackwright_v1_ChangelogEntry__Output } from './rackwright/v1/ChangelogEntry.ts';
import type { DeletionDetail as _rackwright_v1_DeletionDetail, DeletionDetail__Output as _rackwright_v1_DeletionDetail__Output } from './rackwright/v1/DeletionDetail.ts';
import type { EnvironmentDetail as _rackwright_v1_EnvironmentDetail, EnvironmentDetail__Output as _rackwright_v1_EnvironmentDetail__Output } from './rackwright/v1/EnvironmentDetail.ts';
import type { GetTaskRequest as _rackwright_v1_GetTaskRequest, GetTaskRequest__Output as _rackwright_v1_GetTaskRequest__Output } from './rackwright/v1/GetTaskRequest.ts';
import type { GetTaskResponse as _rackwright_v1_GetTaskResponse, GetTaskResponse__Output as _rackwright_v1_GetTaskResponse__Output } from './rackwright/v1/GetTaskResponse.ts';
import type { ImageDetail as _rackwright_v1_ImageDetail, ImageDetail__Output as _rackwright_v1_ImageDetail__Output } from './rackwright/v1/ImageDetail.ts';
import type { KeyringDetail as _rackwright_v1_KeyringDetail, KeyringDetail__Output as _rackwright_v1_KeyringDetail__Output } from './rackwright/v1/KeyringDetail.ts';
import type { ListTasksRequest as _rackwright_v1_ListTasksRequest, ListTasksRequest__Output as _rackwright_v1_ListTasksRequest__Output } from './rackwright/v1/ListTasksRequest.ts';
import type { ListTasksResponse as _rackwright_v1_ListTasksResponse, ListTasksResponse__Output as _rackwright_v1_ListTasksResponse__Output } from './rackwright/v1/ListTasksResponse.ts';
import type { Progress as _rackwright_v1_Progress, Progress__Output as _rackwright_v1_Progress__Output } from './rackwright/v1/Progress.ts';
import type { PurgeDetail as _rackwright_v1_PurgeDetail, PurgeDetail__Output as _rackwright_v1_PurgeDetail__Output } from './rackwright/v1/PurgeDetail.ts';
import type { PurgeHistoryRequest as _rackwright_v1_PurgeHistoryRequest, PurgeHistoryRequest__Output as _rackwright_v1_PurgeHistoryRequest__Output } from './rackwright/v1/PurgeHistoryRequest.ts';
import type { PurgeHistoryResponse as _rackwright_v1_PurgeHistoryResponse, PurgeHistoryResponse__Output as _rackwright_v1_PurgeHistoryResponse__Output } from './rackwright/v1/PurgeHistoryResponse.ts';
import type { RegistryDetail as _rackwright_v1_RegistryDetail, RegistryDetail__Output as _rackwright_v1_RegistryDetail__Output } from './rackwright/v1/RegistryDetail.ts';
import type { RetryTaskRequest as _rackwright_v1_RetryTaskRequest, RetryTaskRequest__Output as _rackwright_v1_RetryTaskRequest__Output } from './rackwright/v1/RetryTaskRequest.ts';
import type { RetryTaskResponse as _rackwright_v1_RetryTaskResponse, RetryTaskResponse__Output as _rackwright_v1_RetryTaskResponse__Output } from './rackwright/v1/RetryTaskResponse.ts';
import type { SetPriorityRequest as _rackwright_v1_SetPriorityRequest, SetPriorityRequest__Output as _rackwright_v1_SetPriorityRequest__Output } from './rackwright/v1/SetPriorityRequest.ts';
import type { SetPriorityResponse as _rackwright_v1_SetPriorityResponse, SetPriorityResponse__Output as _rackwright_v1_SetPriorityResponse__Output } from './rackwright/v1/SetPriorityResponse.ts';
import type { SourceArchive as _rackwright_v1_SourceArchive, SourceArchive__Output as _rackwright_v1_SourceArchive__Output } from './rackwright/v1/SourceArchive.ts';
import type { Task as _rackwright_v1_Task, Task__Output as _rackwright_v1_Task__Output } from './rackwright/v1/Task.ts';
import type { TaskIo as _rackwright_v1_TaskIo, TaskIo__Output as _rackwright_v1_TaskIo__Output } from './rackwright/v1/TaskIo.ts';
import type { TaskServiceClient as _rackwright_v1_TaskServiceClient, TaskServiceDefinition as _rackwright_v1_TaskServiceDefinition } from './rackwright/v1/TaskService.ts';
import type { Usage as _rackwright_v1_Usage, Usage__Output as _rackwright_v1_Usage__Output } from './rackwright/v1/Usage.ts';
import type { WatchTasksRequest as _rackwright_v1_WatchTasksRequest, WatchTasksRequest__Output as _rackwright_v1_WatchTasksRequest__Output } from './rackwright/v1/WatchTasksRequest.ts';
import type { WatchTasksResponse as _rackwright_v1_WatchTasksResponse, WatchTasksResponse__Output as _rackwright_v1_WatchTasksResponse__Output } from './rackwright/v1/WatchTasksResponse.ts';

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
      CancelTaskRequest: MessageTypeDefinition<_rackwright_v1_CancelTaskRequest, _rackwright_v1_CancelTaskRequest__Output>
      CancelTaskResponse: MessageTypeDefinition<_rackwright_v1_CancelTaskResponse, _rackwright_v1_CancelTaskResponse__Output>
      ChangelogEntry: MessageTypeDefinition<_rackwright_v1_ChangelogEntry, _rackwright_v1_ChangelogEntry__Output>
      DeletionDetail: MessageTypeDefinition<_rackwright_v1_DeletionDetail, _rackwright_v1_DeletionDetail__Output>
      EnvironmentDetail: MessageTypeDefinition<_rackwright_v1_EnvironmentDetail, _rackwright_v1_EnvironmentDetail__Output>
      GetTaskRequest: MessageTypeDefinition<_rackwright_v1_GetTaskRequest, _rackwright_v1_GetTaskRequest__Output>
      GetTaskResponse: MessageTypeDefinition<_rackwright_v1_GetTaskResponse, _rackwright_v1_GetTaskResponse__Output>
      ImageDetail: MessageTypeDefinition<_rackwright_v1_ImageDetail, _rackwright_v1_ImageDetail__Output>
      KeyringDetail: MessageTypeDefinition<_rackwright_v1_KeyringDetail, _rackwright_v1_KeyringDetail__Output>
      ListTasksRequest: MessageTypeDefinition<_rackwright_v1_ListTasksRequest, _rackwright_v1_ListTasksRequest__Output>
      ListTasksResponse: MessageTypeDefinition<_rackwright_v1_ListTasksResponse, _rackwright_v1_ListTasksResponse__Output>
      Progress: MessageTypeDefinition<_rackwright_v1_Progress, _rackwright_v1_Progress__Output>
      PurgeDetail: MessageTypeDefinition<_rackwright_v1_PurgeDetail, _rackwright_v1_PurgeDetail__Output>
      PurgeHistoryRequest: MessageTypeDefinition<_rackwright_v1_PurgeHistoryRequest, _rackwright_v1_PurgeHistoryRequest__Output>
      PurgeHistoryResponse: MessageTypeDefinition<_rackwright_v1_PurgeHistoryResponse, _rackwright_v1_PurgeHistoryResponse__Output>
      RegistryDetail: MessageTypeDefinition<_rackwright_v1_RegistryDetail, _rackwright_v1_RegistryDetail__Output>
      RetryTaskRequest: MessageTypeDefinition<_rackwright_v1_RetryTaskRequest, _rackwright_v1_RetryTaskRequest__Output>
      RetryTaskResponse: MessageTypeDefinition<_rackwright_v1_RetryTaskResponse, _rackwright_v1_RetryTaskResponse__Output>
      SetPriorityRequest: MessageTypeDefinition<_rackwright_v1_SetPriorityRequest, _rackwright_v1_SetPriorityRequest__Output>
      SetPriorityResponse: MessageTypeDefinition<_rackwright_v1_SetPriorityResponse, _rackwright_v1_SetPriorityResponse__Output>
      SourceArchive: MessageTypeDefinition<_rackwright_v1_SourceArchive, _rackwright_v1_SourceArchive__Output>
      Task: MessageTypeDefinition<_rackwright_v1_Task, _rackwright_v1_Task__Output>
      TaskIo: MessageTypeDefinition<_rackwright_v1_TaskIo, _rackwright_v1_TaskIo__Output>
      TaskResult: EnumTypeDefinition
      TaskService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_TaskServiceClient> & { service: _rackwright_v1_TaskServiceDefinition }
      TaskState: EnumTypeDefinition
      Usage: MessageTypeDefinition<_rackwright_v1_Usage, _rackwright_v1_Usage__Output>
      WatchTasksRequest: MessageTypeDefinition<_rackwright_v1_WatchTasksRequest, _rackwright_v1_WatchTasksRequest__Output>
      WatchTasksResponse: MessageTypeDefinition<_rackwright_v1_WatchTasksResponse, _rackwright_v1_WatchTasksResponse__Output>
    }
  }
}

