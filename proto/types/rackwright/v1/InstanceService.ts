// Original file: rackwright/v1/instance_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetInstanceRequest as _rackwright_v1_GetInstanceRequest, GetInstanceRequest__Output as _rackwright_v1_GetInstanceRequest__Output } from '../../rackwright/v1/GetInstanceRequest.ts';
import type { GetInstanceResponse as _rackwright_v1_GetInstanceResponse, GetInstanceResponse__Output as _rackwright_v1_GetInstanceResponse__Output } from '../../rackwright/v1/GetInstanceResponse.ts';
import type { ListArchitecturesRequest as _rackwright_v1_ListArchitecturesRequest, ListArchitecturesRequest__Output as _rackwright_v1_ListArchitecturesRequest__Output } from '../../rackwright/v1/ListArchitecturesRequest.ts';
import type { ListArchitecturesResponse as _rackwright_v1_ListArchitecturesResponse, ListArchitecturesResponse__Output as _rackwright_v1_ListArchitecturesResponse__Output } from '../../rackwright/v1/ListArchitecturesResponse.ts';
import type { ListInstancesRequest as _rackwright_v1_ListInstancesRequest, ListInstancesRequest__Output as _rackwright_v1_ListInstancesRequest__Output } from '../../rackwright/v1/ListInstancesRequest.ts';
import type { ListInstancesResponse as _rackwright_v1_ListInstancesResponse, ListInstancesResponse__Output as _rackwright_v1_ListInstancesResponse__Output } from '../../rackwright/v1/ListInstancesResponse.ts';
import type { ListPipelinesRequest as _rackwright_v1_ListPipelinesRequest, ListPipelinesRequest__Output as _rackwright_v1_ListPipelinesRequest__Output } from '../../rackwright/v1/ListPipelinesRequest.ts';
import type { ListPipelinesResponse as _rackwright_v1_ListPipelinesResponse, ListPipelinesResponse__Output as _rackwright_v1_ListPipelinesResponse__Output } from '../../rackwright/v1/ListPipelinesResponse.ts';

export interface InstanceServiceClient extends grpc.Client {
  GetInstance(argument: _rackwright_v1_GetInstanceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  GetInstance(argument: _rackwright_v1_GetInstanceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  GetInstance(argument: _rackwright_v1_GetInstanceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  GetInstance(argument: _rackwright_v1_GetInstanceRequest, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  getInstance(argument: _rackwright_v1_GetInstanceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  getInstance(argument: _rackwright_v1_GetInstanceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  getInstance(argument: _rackwright_v1_GetInstanceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  getInstance(argument: _rackwright_v1_GetInstanceRequest, callback: grpc.requestCallback<_rackwright_v1_GetInstanceResponse__Output>): grpc.ClientUnaryCall;
  
  ListArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  ListArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  ListArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  ListArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  listArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  listArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  listArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  listArchitectures(argument: _rackwright_v1_ListArchitecturesRequest, callback: grpc.requestCallback<_rackwright_v1_ListArchitecturesResponse__Output>): grpc.ClientUnaryCall;
  
  ListInstances(argument: _rackwright_v1_ListInstancesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  ListInstances(argument: _rackwright_v1_ListInstancesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  ListInstances(argument: _rackwright_v1_ListInstancesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  ListInstances(argument: _rackwright_v1_ListInstancesRequest, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  listInstances(argument: _rackwright_v1_ListInstancesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  listInstances(argument: _rackwright_v1_ListInstancesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  listInstances(argument: _rackwright_v1_ListInstancesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  listInstances(argument: _rackwright_v1_ListInstancesRequest, callback: grpc.requestCallback<_rackwright_v1_ListInstancesResponse__Output>): grpc.ClientUnaryCall;
  
  ListPipelines(argument: _rackwright_v1_ListPipelinesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  ListPipelines(argument: _rackwright_v1_ListPipelinesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  ListPipelines(argument: _rackwright_v1_ListPipelinesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  ListPipelines(argument: _rackwright_v1_ListPipelinesRequest, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _rackwright_v1_ListPipelinesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _rackwright_v1_ListPipelinesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _rackwright_v1_ListPipelinesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _rackwright_v1_ListPipelinesRequest, callback: grpc.requestCallback<_rackwright_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface InstanceServiceHandlers extends grpc.UntypedServiceImplementation {
  GetInstance: grpc.handleUnaryCall<_rackwright_v1_GetInstanceRequest__Output, _rackwright_v1_GetInstanceResponse>;
  
  ListArchitectures: grpc.handleUnaryCall<_rackwright_v1_ListArchitecturesRequest__Output, _rackwright_v1_ListArchitecturesResponse>;
  
  ListInstances: grpc.handleUnaryCall<_rackwright_v1_ListInstancesRequest__Output, _rackwright_v1_ListInstancesResponse>;
  
  ListPipelines: grpc.handleUnaryCall<_rackwright_v1_ListPipelinesRequest__Output, _rackwright_v1_ListPipelinesResponse>;
  
}

export interface InstanceServiceDefinition extends grpc.ServiceDefinition {
  GetInstance: MethodDefinition<_rackwright_v1_GetInstanceRequest, _rackwright_v1_GetInstanceResponse, _rackwright_v1_GetInstanceRequest__Output, _rackwright_v1_GetInstanceResponse__Output>
  ListArchitectures: MethodDefinition<_rackwright_v1_ListArchitecturesRequest, _rackwright_v1_ListArchitecturesResponse, _rackwright_v1_ListArchitecturesRequest__Output, _rackwright_v1_ListArchitecturesResponse__Output>
  ListInstances: MethodDefinition<_rackwright_v1_ListInstancesRequest, _rackwright_v1_ListInstancesResponse, _rackwright_v1_ListInstancesRequest__Output, _rackwright_v1_ListInstancesResponse__Output>
  ListPipelines: MethodDefinition<_rackwright_v1_ListPipelinesRequest, _rackwright_v1_ListPipelinesResponse, _rackwright_v1_ListPipelinesRequest__Output, _rackwright_v1_ListPipelinesResponse__Output>
}
