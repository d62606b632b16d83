// Original file: rackwright/v1/registry_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DeleteArtifactRequest as _rackwright_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _rackwright_v1_DeleteArtifactRequest__Output } from '../../rackwright/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _rackwright_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _rackwright_v1_DeleteArtifactResponse__Output } from '../../rackwright/v1/DeleteArtifactResponse.ts';
import type { DescribeArtifactRequest as _rackwright_v1_DescribeArtifactRequest, DescribeArtifactRequest__Output as _rackwright_v1_DescribeArtifactRequest__Output } from '../../rackwright/v1/DescribeArtifactRequest.ts';
import type { DescribeArtifactResponse as _rackwright_v1_DescribeArtifactResponse, DescribeArtifactResponse__Output as _rackwright_v1_DescribeArtifactResponse__Output } from '../../rackwright/v1/DescribeArtifactResponse.ts';
import type { ListArtifactsRequest as _rackwright_v1_ListArtifactsRequest, ListArtifactsRequest__Output as _rackwright_v1_ListArtifactsRequest__Output } from '../../rackwright/v1/ListArtifactsRequest.ts';
import type { ListArtifactsResponse as _rackwright_v1_ListArtifactsResponse, ListArtifactsResponse__Output as _rackwright_v1_ListArtifactsResponse__Output } from '../../rackwright/v1/ListArtifactsResponse.ts';
import type { ListDerivativesRequest as _rackwright_v1_ListDerivativesRequest, ListDerivativesRequest__Output as _rackwright_v1_ListDerivativesRequest__Output } from '../../rackwright/v1/ListDerivativesRequest.ts';
import type { ListDerivativesResponse as _rackwright_v1_ListDerivativesResponse, ListDerivativesResponse__Output as _rackwright_v1_ListDerivativesResponse__Output } from '../../rackwright/v1/ListDerivativesResponse.ts';
import type { ListDistributionsRequest as _rackwright_v1_ListDistributionsRequest, ListDistributionsRequest__Output as _rackwright_v1_ListDistributionsRequest__Output } from '../../rackwright/v1/ListDistributionsRequest.ts';
import type { ListDistributionsResponse as _rackwright_v1_ListDistributionsResponse, ListDistributionsResponse__Output as _rackwright_v1_ListDistributionsResponse__Output } from '../../rackwright/v1/ListDistributionsResponse.ts';
import type { ListFormatsRequest as _rackwright_v1_ListFormatsRequest, ListFormatsRequest__Output as _rackwright_v1_ListFormatsRequest__Output } from '../../rackwright/v1/ListFormatsRequest.ts';
import type { ListFormatsResponse as _rackwright_v1_ListFormatsResponse, ListFormatsResponse__Output as _rackwright_v1_ListFormatsResponse__Output } from '../../rackwright/v1/ListFormatsResponse.ts';
import type { SearchArtifactsRequest as _rackwright_v1_SearchArtifactsRequest, SearchArtifactsRequest__Output as _rackwright_v1_SearchArtifactsRequest__Output } from '../../rackwright/v1/SearchArtifactsRequest.ts';
import type { SearchArtifactsResponse as _rackwright_v1_SearchArtifactsResponse, SearchArtifactsResponse__Output as _rackwright_v1_SearchArtifactsResponse__Output } from '../../rackwright/v1/SearchArtifactsResponse.ts';

export interface RegistryServiceClient extends grpc.Client {
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  DeleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  deleteArtifact(argument: _rackwright_v1_DeleteArtifactRequest, callback: grpc.requestCallback<_rackwright_v1_DeleteArtifactResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  DescribeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  describeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  describeArtifact(argument: _rackwright_v1_DescribeArtifactRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_DescribeArtifactResponse__Output>;
  
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
  
  SearchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  SearchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  searchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  searchArtifacts(argument: _rackwright_v1_SearchArtifactsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_SearchArtifactsResponse__Output>;
  
}

export interface RegistryServiceHandlers extends grpc.UntypedServiceImplementation {
  DeleteArtifact: grpc.handleUnaryCall<_rackwright_v1_DeleteArtifactRequest__Output, _rackwright_v1_DeleteArtifactResponse>;
  
  DescribeArtifact: grpc.handleServerStreamingCall<_rackwright_v1_DescribeArtifactRequest__Output, _rackwright_v1_DescribeArtifactResponse>;
  
  ListArtifacts: grpc.handleServerStreamingCall<_rackwright_v1_ListArtifactsRequest__Output, _rackwright_v1_ListArtifactsResponse>;
  
  ListDerivatives: grpc.handleUnaryCall<_rackwright_v1_ListDerivativesRequest__Output, _rackwright_v1_ListDerivativesResponse>;
  
  ListDistributions: grpc.handleUnaryCall<_rackwright_v1_ListDistributionsRequest__Output, _rackwright_v1_ListDistributionsResponse>;
  
  ListFormats: grpc.handleUnaryCall<_rackwright_v1_ListFormatsRequest__Output, _rackwright_v1_ListFormatsResponse>;
  
  SearchArtifacts: grpc.handleServerStreamingCall<_rackwright_v1_SearchArtifactsRequest__Output, _rackwright_v1_SearchArtifactsResponse>;
  
}

export interface RegistryServiceDefinition extends grpc.ServiceDefinition {
  DeleteArtifact: MethodDefinition<_rackwright_v1_DeleteArtifactRequest, _rackwright_v1_DeleteArtifactResponse, _rackwright_v1_DeleteArtifactRequest__Output, _rackwright_v1_DeleteArtifactResponse__Output>
  DescribeArtifact: MethodDefinition<_rackwright_v1_DescribeArtifactRequest, _rackwright_v1_DescribeArtifactResponse, _rackwright_v1_DescribeArtifactRequest__Output, _rackwright_v1_DescribeArtifactResponse__Output>
  ListArtifacts: MethodDefinition<_rackwright_v1_ListArtifactsRequest, _rackwright_v1_ListArtifactsResponse, _rackwright_v1_ListArtifactsRequest__Output, _rackwright_v1_ListArtifactsResponse__Output>
  ListDerivatives: MethodDefinition<_rackwright_v1_ListDerivativesRequest, _rackwright_v1_ListDerivativesResponse, _rackwright_v1_ListDerivativesRequest__Output, _rackwright_v1_ListDerivativesResponse__Output>
  ListDistributions: MethodDefinition<_rackwright_v1_ListDistributionsRequest, _rackwright_v1_ListDistributionsResponse, _rackwright_v1_ListDistributionsRequest__Output, _rackwright_v1_ListDistributionsResponse__Output>
  ListFormats: MethodDefinition<_rackwright_v1_ListFormatsRequest, _rackwright_v1_ListFormatsResponse, _rackwright_v1_ListFormatsRequest__Output, _rackwright_v1_ListFormatsResponse__Output>
  SearchArtifacts: MethodDefinition<_rackwright_v1_SearchArtifactsRequest, _rackwright_v1_SearchArtifactsResponse, _rackwright_v1_SearchArtifactsRequest__Output, _rackwright_v1_SearchArtifactsResponse__Output>
}
