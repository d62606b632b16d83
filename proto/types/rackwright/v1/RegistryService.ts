// Original file: rackwright/v1/registry_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CollectRegistryRequest as _rackwright_v1_CollectRegistryRequest, CollectRegistryRequest__Output as _rackwright_v1_CollectRegistryRequest__Output } from '../../rackwright/v1/CollectRegistryRequest.ts';
import type { CollectRegistryResponse as _rackwright_v1_CollectRegistryResponse, CollectRegistryResponse__Output as _rackwright_v1_CollectRegistryResponse__Output } from '../../rackwright/v1/CollectRegistryResponse.ts';
import type { CompareGenerationsRequest as _rackwright_v1_CompareGenerationsRequest, CompareGenerationsRequest__Output as _rackwright_v1_CompareGenerationsRequest__Output } from '../../rackwright/v1/CompareGenerationsRequest.ts';
import type { CompareGenerationsResponse as _rackwright_v1_CompareGenerationsResponse, CompareGenerationsResponse__Output as _rackwright_v1_CompareGenerationsResponse__Output } from '../../rackwright/v1/CompareGenerationsResponse.ts';
import type { CreateSnapshotRequest as _rackwright_v1_CreateSnapshotRequest, CreateSnapshotRequest__Output as _rackwright_v1_CreateSnapshotRequest__Output } from '../../rackwright/v1/CreateSnapshotRequest.ts';
import type { CreateSnapshotResponse as _rackwright_v1_CreateSnapshotResponse, CreateSnapshotResponse__Output as _rackwright_v1_CreateSnapshotResponse__Output } from '../../rackwright/v1/CreateSnapshotResponse.ts';
import type { DeleteArtifactRequest as _rackwright_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _rackwright_v1_DeleteArtifactRequest__Output } from '../../rackwright/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _rackwright_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _rackwright_v1_DeleteArtifactResponse__Output } from '../../rackwright/v1/DeleteArtifactResponse.ts';
import type { DeleteSnapshotRequest as _rackwright_v1_DeleteSnapshotRequest, DeleteSnapshotRequest__Output as _rackwright_v1_DeleteSnapshotRequest__Output } from '../../rackwright/v1/DeleteSnapshotRequest.ts';
import type { DeleteSnapshotResponse as _rackwright_v1_DeleteSnapshotResponse, DeleteSnapshotResponse__Output as _rackwright_v1_DeleteSnapshotResponse__Output } from '../../rackwright/v1/DeleteSnapshotResponse.ts';
import type { DescribeArtifactRequest as _rackwright_v1_DescribeArtifactRequest, DescribeArtifactRequest__Output as _rackwright_v1_DescribeArtifactRequest__Output } from '../../rackwright/v1/DescribeArtifactRequest.ts';
import type { DescribeArtifactResponse as _rackwright_v1_DescribeArtifactResponse, DescribeArtifactResponse__Output as _rackwright_v1_DescribeArtifactResponse__Output } from '../../rackwright/v1/DescribeArtifactResponse.ts';
import type { ImportArtifactsRequest as _rackwright_v1_ImportArtifactsRequest, ImportArtifactsRequest__Output as _rackwright_v1_ImportArtifactsRequest__Output } from '../../rackwright/v1/ImportArtifactsRequest.ts';
import type { ImportArtifactsResponse as _rackwright_v1_ImportArtifactsResponse, ImportArtifactsResponse__Output as _rackwright_v1_ImportArtifactsResponse__Output } from '../../rackwright/v1/ImportArtifactsResponse.ts';
import type { ListArtifactsRequest as _rackwright_v1_ListArtifactsRequest, ListArtifactsRequest__Output as _rackwright_v1_ListArtifactsRequest__Output } from '../../rackwright/v1/ListArtifactsRequest.ts';
import type { ListArtifactsResponse as _rackwright_v1_ListArtifactsResponse, ListArtifactsResponse__Output as _rackwright_v1_ListArtifactsResponse__Output } from '../../rackwright/v1/ListArtifactsResponse.ts';
import type { ListDerivativesRequest as _rackwright_v1_ListDerivativesRequest, ListDerivativesRequest__Output as _rackwright_v1_ListDerivativesRequest__Output } from '../../rackwright/v1/ListDerivativesRequest.ts';
import type { ListDerivativesResponse as _rackwright_v1_ListDerivativesResponse, ListDerivativesResponse__Output as _rackwright_v1_ListDerivativesResponse__Output } from '../../rackwright/v1/ListDerivativesResponse.ts';
import type { ListDistributionsRequest as _rackwright_v1_ListDistributionsRequest, ListDistributionsRequest__Output as _rackwright_v1_ListDistributionsRequest__Output } from '../../rackwright/v1/ListDistributionsRequest.ts';
import type { ListDistributionsResponse as _rackwright_v1_ListDistributionsResponse, ListDistributionsResponse__Output as _rackwright_v1_ListDistributionsResponse__Output } from '../../rackwright/v1/ListDistributionsResponse.ts';
import type { ListFormatsRequest as _rackwright_v1_ListFormatsRequest, ListFormatsRequest__Output as _rackwright_v1_ListFormatsRequest__Output } from '../../rackwright/v1/ListFormatsRequest.ts';
import type { ListFormatsResponse as _rackwright_v1_ListFormatsResponse, ListFormatsResponse__Output as _rackwright_v1_ListFormatsResponse__Output } from '../../rackwright/v1/ListFormatsResponse.ts';
import type { ListGenerationsRequest as _rackwright_v1_ListGenerationsRequest, ListGenerationsRequest__Output as _rackwright_v1_ListGenerationsRequest__Output } from '../../rackwright/v1/ListGenerationsRequest.ts';
import type { ListGenerationsResponse as _rackwright_v1_ListGenerationsResponse, ListGenerationsResponse__Output as _rackwright_v1_ListGenerationsResponse__Output } from '../../rackwright/v1/ListGenerationsResponse.ts';
import type { PlanRetentionRequest as _rackwright_v1_PlanRetentionRequest, PlanRetentionRequest__Output as _rackwright_v1_PlanRetentionRequest__Output } from '../../rackwright/v1/PlanRetentionRequest.ts';
import type { PlanRetentionResponse as _rackwright_v1_PlanRetentionResponse, PlanRetentionResponse__Output as _rackwright_v1_PlanRetentionResponse__Output } from '../../rackwright/v1/PlanRetentionResponse.ts';
import type { PromoteRequest as _rackwright_v1_PromoteRequest, PromoteRequest__Output as _rackwright_v1_PromoteRequest__Output } from '../../rackwright/v1/PromoteRequest.ts';
import type { PromoteResponse as _rackwright_v1_PromoteResponse, PromoteResponse__Output as _rackwright_v1_PromoteResponse__Output } from '../../rackwright/v1/PromoteResponse.ts';
import type { RepairRegistryRequest as _rackwright_v1_RepairRegistryRequest, RepairRegistryRequest__Output as _rackwright_v1_RepairRegistryRequest__Output } from '../../rackwright/v1/RepairRegistryRequest.ts';
import type { RepairRegistryResponse as _rackwright_v1_RepairRegistryResponse, RepairRegistryResponse__Output as _rackwright_v1_RepairRegistryResponse__Output } from '../../rackwright/v1/RepairRegistryResponse.ts';
import type { RetainArtifactsRequest as _rackwright_v1_RetainArtifactsRequest, RetainArtifactsRequest__Output as _rackwright_v1_RetainArtifactsRequest__Output } from '../../rackwright/v1/RetainArtifactsRequest.ts';
import type { RetainArtifactsResponse as _rackwright_v1_RetainArtifactsResponse, RetainArtifactsResponse__Output as _rackwright_v1_RetainArtifactsResponse__Output } from '../../rackwright/v1/RetainArtifactsResponse.ts';
import type { RollBackRequest as _rackwright_v1_RollBackRequest, RollBackRequest__Output as _rackwright_v1_RollBackRequest__Output } from '../../rackwright/v1/RollBackRequest.ts';
import type { RollBackResponse as _rackwright_v1_RollBackResponse, RollBackResponse__Output as _rackwright_v1_RollBackResponse__Output } from '../../rackwright/v1/RollBackResponse.ts';
import type { SearchArtifactsRequest as _rackwright_v1_SearchArtifactsRequest, SearchArtifactsRequest__Output as _rackwright_v1_SearchArtifactsRequest__Output } from '../../rackwright/v1/SearchArtifactsRequest.ts';
import type { SearchArtifactsResponse as _rackwright_v1_SearchArtifactsResponse, SearchArtifactsResponse__Output as _rackwright_v1_SearchArtifactsResponse__Output } from '../../rackwright/v1/SearchArtifactsResponse.ts';
import type { UploadUpdateInfoRequest as _rackwright_v1_UploadUpdateInfoRequest, UploadUpdateInfoRequest__Output as _rackwright_v1_UploadUpdateInfoRequest__Output } from '../../rackwright/v1/UploadUpdateInfoRequest.ts';
import type { UploadUpdateInfoResponse as _rackwright_v1_UploadUpdateInfoResponse, UploadUpdateInfoResponse__Output as _rackwright_v1_UploadUpdateInfoResponse__Output } from '../../rackwright/v1/UploadUpdateInfoResponse.ts';
import type { VerifyRegistryRequest as _rackwright_v1_VerifyRegistryRequest, VerifyRegistryRequest__Output as _rackwright_v1_VerifyRegistryRequest__Output } from '../../rackwright/v1/VerifyRegistryRequest.ts';
import type { VerifyRegistryResponse as _rackwright_v1_VerifyRegistryResponse, VerifyRegistryResponse__Output as _rackwright_v1_VerifyRegistryResponse__Output } from '../../rackwright/v1/VerifyRegistryResponse.ts';

export interface RegistryServiceClient extends grpc.Client {
  CollectRegistry(argument: _rackwright_v1_CollectRegistryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  CollectRegistry(argument: _rackwright_v1_CollectRegistryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  CollectRegistry(argument: _rackwright_v1_CollectRegistryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  CollectRegistry(argument: _rackwright_v1_CollectRegistryRequest, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  collectRegistry(argument: _rackwright_v1_CollectRegistryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  collectRegistry(argument: _rackwright_v1_CollectRegistryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  collectRegistry(argument: _rackwright_v1_CollectRegistryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  collectRegistry(argument: _rackwright_v1_CollectRegistryRequest, callback: grpc.requestCallback<_rackwright_v1_CollectRegistryResponse__Output>): grpc.ClientUnaryCall;
  
  CompareGenerations(argument: _rackwright_v1_CompareGenerationsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_CompareGenerationsResponse__Output>;
  CompareGenerations(argument: _rackwright_v1_CompareGenerationsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_CompareGenerationsResponse__Output>;
  compareGenerations(argument: _rackwright_v1_CompareGenerationsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_CompareGenerationsResponse__Output>;
  compareGenerations(argument: _rackwright_v1_CompareGenerationsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_CompareGenerationsResponse__Output>;
  
  CreateSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  CreateSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  CreateSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  CreateSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  createSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  createSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  createSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  createSnapshot(argument: _rackwright_v1_CreateSnapshotRequest, callback: grpc.requestCallback<_rackwright_v1_CreateSnapshotResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  DeleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  DeleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  DeleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  deleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  deleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  deleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  deleteSnapshot(argument: _rackwright_v1_DeleteSnapshotRequest, callback: grpc.requestCallback<_rackwright_v1_DeleteSnapshotResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  DescribeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  describeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  describeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  
  ImportArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  ImportArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  ImportArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  ImportArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  importArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  importArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  importArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  importArtifacts(argument: _rackwright_v1_ImportArtifactsRequest, callback: grpc.requestCallback<_rackwright_v1_ImportArtifactsResponse__Output>): grpc.ClientUnaryCall;
  
  ListArtifacts(argument: _rackwright_v1_ListArtifactsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_ListArtifactsResponse__Output>;
  ListArtifacts(argument: _rackwright_v1_ListArtifactsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_ListArtifactsResponse__Output>;
  listArtifacts(argument: _rackwright_v1_ListArtifactsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_ListArtifactsResponse__Output>;
  listArtifacts(argument: _rackwright_v1_ListArtifactsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_ListArtifactsResponse__Output>;
  
  ListDerivatives(argument: _rackwright_v1_ListDerivativesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  ListDerivatives(argument: _rackwright_v1_ListDerivativesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  ListDerivatives(argument: _rackwright_v1_ListDerivativesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  ListDerivatives(argument: _rackwright_v1_ListDerivativesRequest, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  listDerivatives(argument: _rackwright_v1_ListDerivativesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  listDerivatives(argument: _rackwright_v1_ListDerivativesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  listDerivatives(argument: _rackwright_v1_ListDerivativesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  listDerivatives(argument: _rackwright_v1_ListDerivativesRequest, callback: grpc.requestCallback<_rackwright_v1_ListDerivativesResponse__Output>): grpc.ClientUnaryCall;
  
  ListDistributions(argument: _rackwright_v1_ListDistributionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  ListDistributions(argument: _rackwright_v1_ListDistributionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  ListDistributions(argument: _rackwright_v1_ListDistributionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  ListDistributions(argument: _rackwright_v1_ListDistributionsRequest, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  listDistributions(argument: _rackwright_v1_ListDistributionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  listDistributions(argument: _rackwright_v1_ListDistributionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  listDistributions(argument: _rackwright_v1_ListDistributionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  listDistributions(argument: _rackwright_v1_ListDistributionsRequest, callback: grpc.requestCallback<_rackwright_v1_ListDistributionsResponse__Output>): grpc.ClientUnaryCall;
  
  ListFormats(argument: _rackwright_v1_ListFormatsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  ListFormats(argument: _rackwright_v1_ListFormatsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  ListFormats(argument: _rackwright_v1_ListFormatsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  ListFormats(argument: _rackwright_v1_ListFormatsRequest, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  listFormats(argument: _rackwright_v1_ListFormatsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  listFormats(argument: _rackwright_v1_ListFormatsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  listFormats(argument: _rackwright_v1_ListFormatsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  listFormats(argument: _rackwright_v1_ListFormatsRequest, callback: grpc.requestCallback<_rackwright_v1_ListFormatsResponse__Output>): grpc.ClientUnaryCall;
  
  ListGenerations(argument: _rackwright_v1_ListGenerationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  ListGenerations(argument: _rackwright_v1_ListGenerationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  ListGenerations(argument: _rackwright_v1_ListGenerationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  ListGenerations(argument: _rackwright_v1_ListGenerationsRequest, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  listGenerations(argument: _rackwright_v1_ListGenerationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  listGenerations(argument: _rackwright_v1_ListGenerationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  listGenerations(argument: _rackwright_v1_ListGenerationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  listGenerations(argument: _rackwright_v1_ListGenerationsRequest, callback: grpc.requestCallback<_rackwright_v1_ListGenerationsResponse__Output>): grpc.ClientUnaryCall;
  
  PlanRetention(argument: _rackwright_v1_PlanRetentionRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_PlanRetentionResponse__Output>;
  PlanRetention(argument: _rackwright_v1_PlanRetentionRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_PlanRetentionResponse__Output>;
  planRetention(argument: _rackwright_v1_PlanRetentionRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_PlanRetentionResponse__Output>;
  planRetention(argument: _rackwright_v1_PlanRetentionRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_PlanRetentionResponse__Output>;
  
  Promote(argument: _rackwright_v1_PromoteRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  Promote(argument: _rackwright_v1_PromoteRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  Promote(argument: _rackwright_v1_PromoteRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  Promote(argument: _rackwright_v1_PromoteRequest, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  promote(argument: _rackwright_v1_PromoteRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  promote(argument: _rackwright_v1_PromoteRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  promote(argument: _rackwright_v1_PromoteRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  promote(argument: _rackwright_v1_PromoteRequest, callback: grpc.requestCallback<_rackwright_v1_PromoteResponse__Output>): grpc.ClientUnaryCall;
  
  RepairRegistry(argument: _rackwright_v1_RepairRegistryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  RepairRegistry(argument: _rackwright_v1_RepairRegistryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  RepairRegistry(argument: _rackwright_v1_RepairRegistryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  RepairRegistry(argument: _rackwright_v1_RepairRegistryRequest, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  repairRegistry(argument: _rackwright_v1_RepairRegistryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  repairRegistry(argument: _rackwright_v1_RepairRegistryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  repairRegistry(argument: _rackwright_v1_RepairRegistryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  repairRegistry(argument: _rackwright_v1_RepairRegistryRequest, callback: grpc.requestCallback<_rackwright_v1_RepairRegistryResponse__Output>): grpc.ClientUnaryCall;
  
  RetainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  RetainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  RetainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  RetainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  retainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  retainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  retainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  retainArtifacts(argument: _rackwright_v1_RetainArtifactsRequest, callback: grpc.requestCallback<_rackwright_v1_RetainArtifactsResponse__Output>): grpc.ClientUnaryCall;
  
  RollBack(argument: _rackwright_v1_RollBackRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  RollBack(argument: _rackwright_v1_RollBackRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  RollBack(argument: _rackwright_v1_RollBackRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  RollBack(argument: _rackwright_v1_RollBackRequest, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  rollBack(argument: _rackwright_v1_RollBackRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  rollBack(argument: _rackwright_v1_RollBackRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  rollBack(argument: _rackwright_v1_RollBackRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  rollBack(argument: _rackwright_v1_RollBackRequest, callback: grpc.requestCallback<_rackwright_v1_RollBackResponse__Output>): grpc.ClientUnaryCall;
  
  SearchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  SearchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  searchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  searchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  
  UploadUpdateInfo(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  UploadUpdateInfo(metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  UploadUpdateInfo(options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  UploadUpdateInfo(callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  uploadUpdateInfo(metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  uploadUpdateInfo(metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  uploadUpdateInfo(options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  uploadUpdateInfo(callback: grpc.requestCallback<_rackwright_v1_UploadUpdateInfoResponse__Output>): grpc.ClientWritableStream<_rackwright_v1_UploadUpdateInfoRequest>;
  
  VerifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  VerifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  VerifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  VerifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  verifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  verifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  verifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  verifyRegistry(argument: _rackwright_v1_VerifyRegistryRequest, callback: grpc.requestCallback<_rackwright_v1_VerifyRegistryResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface RegistryServiceHandlers extends grpc.UntypedServiceImplementation {
  CollectRegistry: grpc.handleUnaryCall<_rackwright_v1_CollectRegistryRequest__Output, _rackwright_v1_CollectRegistryResponse>;
  
  CompareGenerations: grpc.handleServerStreamingCall<_rackwright_v1_CompareGenerationsRequest__Output, _rackwright_v1_CompareGenerationsResponse>;
  
  CreateSnapshot: grpc.handleUnaryCall<_rackwright_v1_CreateSnapshotRequest__Output, _rackwright_v1_CreateSnapshotResponse>;
  
  DeleteArtifact: grpc.handleUnaryCall<_rackwright_v1_DeleteArtifactRequest__Output, _rackwright_v1_DeleteArtifactResponse>;
  
  DeleteSnapshot: grpc.handleUnaryCall<_rackwright_v1_DeleteSnapshotRequest__Output, _rackwright_v1_DeleteSnapshotResponse>;
  
  DescribeArtifact: grpc.handleServerStreamingCall<_rackwright_v1_DescribeArtifactRequest__Output, _rackwright_v1_DescribeArtifactResponse>;
  
  ImportArtifacts: grpc.handleUnaryCall<_rackwright_v1_ImportArtifactsRequest__Output, _rackwright_v1_ImportArtifactsResponse>;
  
  ListArtifacts: grpc.handleServerStreamingCall<_rackwright_v1_ListArtifactsRequest__Output, _rackwright_v1_ListArtifactsResponse>;
  
  ListDerivatives: grpc.handleUnaryCall<_rackwright_v1_ListDerivativesRequest__Output, _rackwright_v1_ListDerivativesResponse>;
  
  ListDistributions: grpc.handleUnaryCall<_rackwright_v1_ListDistributionsRequest__Output, _rackwright_v1_ListDistributionsResponse>;
  
  ListFormats: grpc.handleUnaryCall<_rackwright_v1_ListFormatsRequest__Output, _rackwright_v1_ListFormatsResponse>;
  
  ListGenerations: grpc.handleUnaryCall<_rackwright_v1_ListGenerationsRequest__Output, _rackwright_v1_ListGenerationsResponse>;
  
  PlanRetention: grpc.handleServerStreamingCall<_rackwright_v1_PlanRetentionRequest__Output, _rackwright_v1_PlanRetentionResponse>;
  
  Promote: grpc.handleUnaryCall<_rackwright_v1_PromoteRequest__Output, _rackwright_v1_PromoteResponse>;
  
  RepairRegistry: grpc.handleUnaryCall<_rackwright_v1_RepairRegistryRequest__Output, _rackwright_v1_RepairRegistryResponse>;
  
  RetainArtifacts: grpc.handleUnaryCall<_rackwright_v1_RetainArtifactsRequest__Output, _rackwright_v1_RetainArtifactsResponse>;
  
  RollBack: grpc.handleUnaryCall<_rackwright_v1_RollBackRequest__Output, _rackwright_v1_RollBackResponse>;
  
  SearchArtifacts: grpc.handleServerStreamingCall<_rackwright_v1_SearchArtifactsRequest__Output, _rackwright_v1_SearchArtifactsResponse>;
  
  UploadUpdateInfo: grpc.handleClientStreamingCall<_rackwright_v1_UploadUpdateInfoRequest__Output, _rackwright_v1_UploadUpdateInfoResponse>;
  
  VerifyRegistry: grpc.handleUnaryCall<_rackwright_v1_VerifyRegistryRequest__Output, _rackwright_v1_VerifyRegistryResponse>;
  
}

export interface RegistryServiceDefinition extends grpc.ServiceDefinition {
  CollectRegistry: MethodDefinition<_rackwright_v1_CollectRegistryRequest, _rackwright_v1_CollectRegistryResponse, _rackwright_v1_CollectRegistryRequest__Output, _rackwright_v1_CollectRegistryResponse__Output>
  CompareGenerations: MethodDefinition<_rackwright_v1_CompareGenerationsRequest, _rackwright_v1_CompareGenerationsResponse, _rackwright_v1_CompareGenerationsRequest__Output, _rackwright_v1_CompareGenerationsResponse__Output>
  CreateSnapshot: MethodDefinition<_rackwright_v1_CreateSnapshotRequest, _rackwright_v1_CreateSnapshotResponse, _rackwright_v1_CreateSnapshotRequest__Output, _rackwright_v1_CreateSnapshotResponse__Output>
  DeleteArtifact: MethodDefinition<_rackwright_v1_DeleteArtifactRequest, _rackwright_v1_DeleteArtifactResponse, _rackwright_v1_DeleteArtifactRequest__Output, _rackwright_v1_DeleteArtifactResponse__Output>
  DeleteSnapshot: MethodDefinition<_rackwright_v1_DeleteSnapshotRequest, _rackwright_v1_DeleteSnapshotResponse, _rackwright_v1_DeleteSnapshotRequest__Output, _rackwright_v1_DeleteSnapshotResponse__Output>
  DescribeArtifact: MethodDefinition<_rackwright_v1_DescribeArtifactRequest, _rackwright_v1_DescribeArtifactResponse, _rackwright_v1_DescribeArtifactRequest__Output, _rackwright_v1_DescribeArtifactResponse__Output>
  ImportArtifacts: MethodDefinition<_rackwright_v1_ImportArtifactsRequest, _rackwright_v1_ImportArtifactsResponse, _rackwright_v1_ImportArtifactsRequest__Output, _rackwright_v1_ImportArtifactsResponse__Output>
  ListArtifacts: MethodDefinition<_rackwright_v1_ListArtifactsRequest, _rackwright_v1_ListArtifactsResponse, _rackwright_v1_ListArtifactsRequest__Output, _rackwright_v1_ListArtifactsResponse__Output>
  ListDerivatives: MethodDefinition<_rackwright_v1_ListDerivativesRequest, _rackwright_v1_ListDerivativesResponse, _rackwright_v1_ListDerivativesRequest__Output, _rackwright_v1_ListDerivativesResponse__Output>
  ListDistributions: MethodDefinition<_rackwright_v1_ListDistributionsRequest, _rackwright_v1_ListDistributionsResponse, _rackwright_v1_ListDistributionsRequest__Output, _rackwright_v1_ListDistributionsResponse__Output>
  ListFormats: MethodDefinition<_rackwright_v1_ListFormatsRequest, _rackwright_v1_ListFormatsResponse, _rackwright_v1_ListFormatsRequest__Output, _rackwright_v1_ListFormatsResponse__Output>
  ListGenerations: MethodDefinition<_rackwright_v1_ListGenerationsRequest, _rackwright_v1_ListGenerationsResponse, _rackwright_v1_ListGenerationsRequest__Output, _rackwright_v1_ListGenerationsResponse__Output>
  PlanRetention: MethodDefinition<_rackwright_v1_PlanRetentionRequest, _rackwright_v1_PlanRetentionResponse, _rackwright_v1_PlanRetentionRequest__Output, _rackwright_v1_PlanRetentionResponse__Output>
  Promote: MethodDefinition<_rackwright_v1_PromoteRequest, _rackwright_v1_PromoteResponse, _rackwright_v1_PromoteRequest__Output, _rackwright_v1_PromoteResponse__Output>
  RepairRegistry: MethodDefinition<_rackwright_v1_RepairRegistryRequest, _rackwright_v1_RepairRegistryResponse, _rackwright_v1_RepairRegistryRequest__Output, _rackwright_v1_RepairRegistryResponse__Output>
  RetainArtifacts: MethodDefinition<_rackwright_v1_RetainArtifactsRequest, _rackwright_v1_RetainArtifactsResponse, _rackwright_v1_RetainArtifactsRequest__Output, _rackwright_v1_RetainArtifactsResponse__Output>
  RollBack: MethodDefinition<_rackwright_v1_RollBackRequest, _rackwright_v1_RollBackResponse, _rackwright_v1_RollBackRequest__Output, _rackwright_v1_RollBackResponse__Output>
  SearchArtifacts: MethodDefinition<_rackwright_v1_SearchArtifactsRequest, _rackwright_v1_SearchArtifactsResponse, _rackwright_v1_SearchArtifactsRequest__Output, _rackwright_v1_SearchArtifactsResponse__Output>
  UploadUpdateInfo: MethodDefinition<_rackwright_v1_UploadUpdateInfoRequest, _rackwright_v1_UploadUpdateInfoResponse, _rackwright_v1_UploadUpdateInfoRequest__Output, _rackwright_v1_UploadUpdateInfoResponse__Output>
  VerifyRegistry: MethodDefinition<_rackwright_v1_VerifyRegistryRequest, _rackwright_v1_VerifyRegistryResponse, _rackwright_v1_VerifyRegistryRequest__Output, _rackwright_v1_VerifyRegistryResponse__Output>
}
