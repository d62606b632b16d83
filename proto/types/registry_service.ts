import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from './rackwright/v1/Artifact.ts';
import type { ArtifactDescription as _rackwright_v1_ArtifactDescription, ArtifactDescription__Output as _rackwright_v1_ArtifactDescription__Output } from './rackwright/v1/ArtifactDescription.ts';
import type { ArtifactFile as _rackwright_v1_ArtifactFile, ArtifactFile__Output as _rackwright_v1_ArtifactFile__Output } from './rackwright/v1/ArtifactFile.ts';
import type { ArtifactMatch as _rackwright_v1_ArtifactMatch, ArtifactMatch__Output as _rackwright_v1_ArtifactMatch__Output } from './rackwright/v1/ArtifactMatch.ts';
import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from './rackwright/v1/ArtifactPlace.ts';
import type { ChangelogEntry as _rackwright_v1_ChangelogEntry, ChangelogEntry__Output as _rackwright_v1_ChangelogEntry__Output } from './rackwright/v1/ChangelogEntry.ts';
import type { CollectRegistryRequest as _rackwright_v1_CollectRegistryRequest, CollectRegistryRequest__Output as _rackwright_v1_CollectRegistryRequest__Output } from './rackwright/v1/CollectRegistryRequest.ts';
import type { CollectRegistryResponse as _rackwright_v1_CollectRegistryResponse, CollectRegistryResponse__Output as _rackwright_v1_CollectRegistryResponse__Output } from './rackwright/v1/CollectRegistryResponse.ts';
import type { CompareGenerationsRequest as _rackwright_v1_CompareGenerationsRequest, CompareGenerationsRequest__Output as _rackwright_v1_CompareGenerationsRequest__Output } from './rackwright/v1/CompareGenerationsRequest.ts';
import type { CompareGenerationsResponse as _rackwright_v1_CompareGenerationsResponse, CompareGenerationsResponse__Output as _rackwright_v1_CompareGenerationsResponse__Output } from './rackwright/v1/CompareGenerationsResponse.ts';
import type { CreateSnapshotRequest as _rackwright_v1_CreateSnapshotRequest, CreateSnapshotRequest__Output as _rackwright_v1_CreateSnapshotRequest__Output } from './rackwright/v1/CreateSnapshotRequest.ts';
import type { CreateSnapshotResponse as _rackwright_v1_CreateSnapshotResponse, CreateSnapshotResponse__Output as _rackwright_v1_CreateSnapshotResponse__Output } from './rackwright/v1/CreateSnapshotResponse.ts';
import type { DeleteArtifactRequest as _rackwright_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _rackwright_v1_DeleteArtifactRequest__Output } from './rackwright/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _rackwright_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _rackwright_v1_DeleteArtifactResponse__Output } from './rackwright/v1/DeleteArtifactResponse.ts';
import type { DeleteSnapshotRequest as _rackwright_v1_DeleteSnapshotRequest, DeleteSnapshotRequest__Output as _rackwright_v1_DeleteSnapshotRequest__Output } from './rackwright/v1/DeleteSnapshotRequest.ts';
import type { DeleteSnapshotResponse as _rackwright_v1_DeleteSnapshotResponse, DeleteSnapshotResponse__Output as _rackwright_v1_DeleteSnapshotResponse__Output } from './rackwright/v1/DeleteSnapshotResponse.ts';
import type { DescribeArtifactRequest as _rackwright_v1_DescribeArtifactRequest, DescribeArtifactRequest__Output as _rackwright_v1_DescribeArtifactRequest__Output } from './rackwright/v1/DescribeArtifactRequest.ts';
import type { DescribeArtifactResponse as _rackwright_v1_DescribeArtifactResponse, DescribeArtifactResponse__Output as _rackwright_v1_DescribeArtifactResponse__Output } from './rackwright/v1/DescribeArtifactResponse.ts';
import type { Difference as _rackwright_v1_Difference, Difference__Output as _rackwright_v1_Difference__Output } from './rackwright/v1/Difference.ts';
import type { Generation as _rackwright_v1_Generation, Generation__Output as _rackwright_v1_Generation__Output } from './rackwright/v1/Generation.ts';
import type { ImportArtifactsRequest as _rackwright_v1_ImportArtifactsRequest, ImportArtifactsRequest__Output as _rackwright_v1_ImportArtifactsRequest__Output } from './rackwright/v1/ImportArtifactsRequest.ts';
import type { ImportArtifactsResponse as _rackwright_v1_ImportArtifactsResponse, ImportArtifactsResponse__Output as _rackwright_v1_ImportArtifactsResponse__Output } from './rackwright/v1/ImportArtifactsResponse.ts';
import type { ListArtifactsRequest as _rackwright_v1_ListArtifactsRequest, ListArtifactsRequest__Output as _rackwright_v1_ListArtifactsRequest__Output } from './rackwright/v1/ListArtifactsRequest.ts';
import type { ListArtifactsResponse as _rackwright_v1_ListArtifactsResponse, ListArtifactsResponse__Output as _rackwright_v1_ListArtifactsResponse__Output } from './rackwright/v1/ListArtifactsResponse.ts';
import type { ListDerivativesRequest as _rackwright_v1_ListDerivativesRequest, ListDerivativesRequest__Output as _rackwright_v1_ListDerivativesRequest__Output } from './rackwright/v1/ListDerivativesRequest.ts';
import type { ListDerivativesResponse as _rackwright_v1_ListDerivativesResponse, ListDerivativesResponse__Output as _rackwright_v1_ListDerivativesResponse__Output } from './rackwright/v1/ListDerivativesResponse.ts';
import type { ListDistributionsRequest as _rackwright_v1_ListDistributionsRequest, ListDistributionsRequest__Output as _rackwright_v1_ListDistributionsRequest__Output } from './rackwright/v1/ListDistributionsRequest.ts';
import type { ListDistributionsResponse as _rackwright_v1_ListDistributionsResponse, ListDistributionsResponse__Output as _rackwright_v1_ListDistributionsResponse__Output } from './rackwright/v1/ListDistributionsResponse.ts';
import type { ListFormatsRequest as _rackwright_v1_ListFormatsRequest, ListFormatsRequest__Output as _rackwright_v1_ListFormatsRequest__Output } from './rackwright/v1/ListFormatsRequest.ts';
import type { ListFormatsResponse as _rackwright_v1_ListFormatsResponse, ListFormatsResponse__Output as _rackwright_v1_ListFormatsResponse__Output } from './rackwright/v1/ListFormatsResponse.ts';
import type { ListGenerationsRequest as _rackwright_v1_ListGenerationsRequest, ListGenerationsRequest__Output as _rackwright_v1_ListGenerationsRequest__Output } from './rackwright/v1/ListGenerationsRequest.ts';
import type { ListGenerationsResponse as _rackwright_v1_ListGenerationsResponse, ListGenerationsResponse__Output as _rackwright_v1_ListGenerationsResponse__Output } from './rackwright/v1/ListGenerationsResponse.ts';
import type { Outdated as _rackwright_v1_Outdated, Outdated__Output as _rackwright_v1_Outdated__Output } from './rackwright/v1/Outdated.ts';
import type { PlanRetentionRequest as _rackwright_v1_PlanRetentionRequest, PlanRetentionRequest__Output as _rackwright_v1_PlanRetentionRequest__Output } from './rackwright/v1/PlanRetentionRequest.ts';
import type { PlanRetentionResponse as _rackwright_v1_PlanRetentionResponse, PlanRetentionResponse__Output as _rackwright_v1_PlanRetentionResponse__Output } from './rackwright/v1/PlanRetentionResponse.ts';
import type { PromoteRequest as _rackwright_v1_PromoteRequest, PromoteRequest__Output as _rackwright_v1_PromoteRequest__Output } from './rackwright/v1/PromoteRequest.ts';
import type { PromoteResponse as _rackwright_v1_PromoteResponse, PromoteResponse__Output as _rackwright_v1_PromoteResponse__Output } from './rackwright/v1/PromoteResponse.ts';
import type { RegistryServiceClient as _rackwright_v1_RegistryServiceClient, RegistryServiceDefinition as _rackwright_v1_RegistryServiceDefinition } from './rackwright/v1/RegistryService.ts';
import type { RepairRegistryRequest as _rackwright_v1_RepairRegistryRequest, RepairRegistryRequest__Output as _rackwright_v1_RepairRegistryRequest__Output } from './rackwright/v1/RepairRegistryRequest.ts';
import type { RepairRegistryResponse as _rackwright_v1_RepairRegistryResponse, RepairRegistryResponse__Output as _rackwright_v1_RepairRegistryResponse__Output } from './rackwright/v1/RepairRegistryResponse.ts';
import type { RetainArtifactsRequest as _rackwright_v1_RetainArtifactsRequest, RetainArtifactsRequest__Output as _rackwright_v1_RetainArtifactsRequest__Output } from './rackwright/v1/RetainArtifactsRequest.ts';
import type { RetainArtifactsResponse as _rackwright_v1_RetainArtifactsResponse, RetainArtifactsResponse__Output as _rackwright_v1_RetainArtifactsResponse__Output } from './rackwright/v1/RetainArtifactsResponse.ts';
import type { RetentionRule as _rackwright_v1_RetentionRule, RetentionRule__Output as _rackwright_v1_RetentionRule__Output } from './rackwright/v1/RetentionRule.ts';
import type { RollBackRequest as _rackwright_v1_RollBackRequest, RollBackRequest__Output as _rackwright_v1_RollBackRequest__Output } from './rackwright/v1/RollBackRequest.ts';
import type { RollBackResponse as _rackwright_v1_RollBackResponse, RollBackResponse__Output as _rackwright_v1_RollBackResponse__Output } from './rackwright/v1/RollBackResponse.ts';
import type { SearchArtifactsRequest as _rackwright_v1_SearchArtifactsRequest, SearchArtifactsRequest__Output as _rackwright_v1_SearchArtifactsRequest__Output } from './rackwright/v1/SearchArtifactsRequest.ts';
import type { SearchArtifactsResponse as _rackwright_v1_SearchArtifactsResponse, SearchArtifactsResponse__Output as _rackwright_v1_SearchArtifactsResponse__Output } from './rackwright/v1/SearchArtifactsResponse.ts';
import type { UpdateInfoRequest as _rackwright_v1_UpdateInfoRequest, UpdateInfoRequest__Output as _rackwright_v1_UpdateInfoRequest__Output } from './rackwright/v1/UpdateInfoRequest.ts';
import type { UploadUpdateInfoRequest as _rackwright_v1_UploadUpdateInfoRequest, UploadUpdateInfoRequest__Output as _rackwright_v1_UploadUpdateInfoRequest__Output } from './rackwright/v1/UploadUpdateInfoRequest.ts';
import type { UploadUpdateInfoResponse as _rackwright_v1_UploadUpdateInfoResponse, UploadUpdateInfoResponse__Output as _rackwright_v1_UploadUpdateInfoResponse__Output } from './rackwright/v1/UploadUpdateInfoResponse.ts';
import type { VerifyRegistryRequest as _rackwright_v1_VerifyRegistryRequest, VerifyRegistryRequest__Output as _rackwright_v1_VerifyRegistryRequest__Output } from './rackwright/v1/VerifyRegistryRequest.ts';
import type { VerifyRegistryResponse as _rackwright_v1_VerifyRegistryResponse, VerifyRegistryResponse__Output as _rackwright_v1_VerifyRegistryResponse__Output } from './rackwright/v1/VerifyRegistryResponse.ts';

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
      ChangelogEntry: MessageTypeDefinition<_rackwright_v1_ChangelogEntry, _rackwright_v1_ChangelogEntry__Output>
      CollectRegistryRequest: MessageTypeDefinition<_rackwright_v1_CollectRegistryRequest, _rackwright_v1_CollectRegistryRequest__Output>
      CollectRegistryResponse: MessageTypeDefinition<_rackwright_v1_CollectRegistryResponse, _rackwright_v1_CollectRegistryResponse__Output>
      CompareGenerationsRequest: MessageTypeDefinition<_rackwright_v1_CompareGenerationsRequest, _rackwright_v1_CompareGenerationsRequest__Output>
      CompareGenerationsResponse: MessageTypeDefinition<_rackwright_v1_CompareGenerationsResponse, _rackwright_v1_CompareGenerationsResponse__Output>
      CreateSnapshotRequest: MessageTypeDefinition<_rackwright_v1_CreateSnapshotRequest, _rackwright_v1_CreateSnapshotRequest__Output>
      CreateSnapshotResponse: MessageTypeDefinition<_rackwright_v1_CreateSnapshotResponse, _rackwright_v1_CreateSnapshotResponse__Output>
      DeleteArtifactRequest: MessageTypeDefinition<_rackwright_v1_DeleteArtifactRequest, _rackwright_v1_DeleteArtifactRequest__Output>
      DeleteArtifactResponse: MessageTypeDefinition<_rackwright_v1_DeleteArtifactResponse, _rackwright_v1_DeleteArtifactResponse__Output>
      DeleteSnapshotRequest: MessageTypeDefinition<_rackwright_v1_DeleteSnapshotRequest, _rackwright_v1_DeleteSnapshotRequest__Output>
      DeleteSnapshotResponse: MessageTypeDefinition<_rackwright_v1_DeleteSnapshotResponse, _rackwright_v1_DeleteSnapshotResponse__Output>
      DescribeArtifactRequest: MessageTypeDefinition<_rackwright_v1_DescribeArtifactRequest, _rackwright_v1_DescribeArtifactRequest__Output>
      DescribeArtifactResponse: MessageTypeDefinition<_rackwright_v1_DescribeArtifactResponse, _rackwright_v1_DescribeArtifactResponse__Output>
      Difference: MessageTypeDefinition<_rackwright_v1_Difference, _rackwright_v1_Difference__Output>
      Generation: MessageTypeDefinition<_rackwright_v1_Generation, _rackwright_v1_Generation__Output>
      ImportArtifactsRequest: MessageTypeDefinition<_rackwright_v1_ImportArtifactsRequest, _rackwright_v1_ImportArtifactsRequest__Output>
      ImportArtifactsResponse: MessageTypeDefinition<_rackwright_v1_ImportArtifactsResponse, _rackwright_v1_ImportArtifactsResponse__Output>
      ListArtifactsRequest: MessageTypeDefinition<_rackwright_v1_ListArtifactsRequest, _rackwright_v1_ListArtifactsRequest__Output>
      ListArtifactsResponse: MessageTypeDefinition<_rackwright_v1_ListArtifactsResponse, _rackwright_v1_ListArtifactsResponse__Output>
      ListDerivativesRequest: MessageTypeDefinition<_rackwright_v1_ListDerivativesRequest, _rackwright_v1_ListDerivativesRequest__Output>
      ListDerivativesResponse: MessageTypeDefinition<_rackwright_v1_ListDerivativesResponse, _rackwright_v1_ListDerivativesResponse__Output>
      ListDistributionsRequest: MessageTypeDefinition<_rackwright_v1_ListDistributionsRequest, _rackwright_v1_ListDistributionsRequest__Output>
      ListDistributionsResponse: MessageTypeDefinition<_rackwright_v1_ListDistributionsResponse, _rackwright_v1_ListDistributionsResponse__Output>
      ListFormatsRequest: MessageTypeDefinition<_rackwright_v1_ListFormatsRequest, _rackwright_v1_ListFormatsRequest__Output>
      ListFormatsResponse: MessageTypeDefinition<_rackwright_v1_ListFormatsResponse, _rackwright_v1_ListFormatsResponse__Output>
      ListGenerationsRequest: MessageTypeDefinition<_rackwright_v1_ListGenerationsRequest, _rackwright_v1_ListGenerationsRequest__Output>
      ListGenerationsResponse: MessageTypeDefinition<_rackwright_v1_ListGenerationsResponse, _rackwright_v1_ListGenerationsResponse__Output>
      Outdated: MessageTypeDefinition<_rackwright_v1_Outdated, _rackwright_v1_Outdated__Output>
      PlanRetentionRequest: MessageTypeDefinition<_rackwright_v1_PlanRetentionRequest, _rackwright_v1_PlanRetentionRequest__Output>
      PlanRetentionResponse: MessageTypeDefinition<_rackwright_v1_PlanRetentionResponse, _rackwright_v1_PlanRetentionResponse__Output>
      PromoteRequest: MessageTypeDefinition<_rackwright_v1_PromoteRequest, _rackwright_v1_PromoteRequest__Output>
      PromoteResponse: MessageTypeDefinition<_rackwright_v1_PromoteResponse, _rackwright_v1_PromoteResponse__Output>
      RegistryService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_RegistryServiceClient> & { service: _rackwright_v1_RegistryServiceDefinition }
      RepairRegistryRequest: MessageTypeDefinition<_rackwright_v1_RepairRegistryRequest, _rackwright_v1_RepairRegistryRequest__Output>
      RepairRegistryResponse: MessageTypeDefinition<_rackwright_v1_RepairRegistryResponse, _rackwright_v1_RepairRegistryResponse__Output>
      RetainArtifactsRequest: MessageTypeDefinition<_rackwright_v1_RetainArtifactsRequest, _rackwright_v1_RetainArtifactsRequest__Output>
      RetainArtifactsResponse: MessageTypeDefinition<_rackwright_v1_RetainArtifactsResponse, _rackwright_v1_RetainArtifactsResponse__Output>
      RetentionRule: MessageTypeDefinition<_rackwright_v1_RetentionRule, _rackwright_v1_RetentionRule__Output>
      RollBackRequest: MessageTypeDefinition<_rackwright_v1_RollBackRequest, _rackwright_v1_RollBackRequest__Output>
      RollBackResponse: MessageTypeDefinition<_rackwright_v1_RollBackResponse, _rackwright_v1_RollBackResponse__Output>
      SearchArtifactsRequest: MessageTypeDefinition<_rackwright_v1_SearchArtifactsRequest, _rackwright_v1_SearchArtifactsRequest__Output>
      SearchArtifactsResponse: MessageTypeDefinition<_rackwright_v1_SearchArtifactsResponse, _rackwright_v1_SearchArtifactsResponse__Output>
      UpdateInfoRequest: MessageTypeDefinition<_rackwright_v1_UpdateInfoRequest, _rackwright_v1_UpdateInfoRequest__Output>
      UploadUpdateInfoRequest: MessageTypeDefinition<_rackwright_v1_UploadUpdateInfoRequest, _rackwright_v1_UploadUpdateInfoRequest__Output>
      UploadUpdateInfoResponse: MessageTypeDefinition<_rackwright_v1_UploadUpdateInfoResponse, _rackwright_v1_UploadUpdateInfoResponse__Output>
      VerifyRegistryRequest: MessageTypeDefinition<_rackwright_v1_VerifyRegistryRequest, _rackwright_v1_VerifyRegistryRequest__Output>
      VerifyRegistryResponse: MessageTypeDefinition<_rackwright_v1_VerifyRegistryResponse, _rackwright_v1_VerifyRegistryResponse__Output>
    }
  }
}

