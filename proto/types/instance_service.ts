import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { GetInstanceRequest as _rackwright_v1_GetInstanceRequest, GetInstanceRequest__Output as _rackwright_v1_GetInstanceRequest__Output } from './rackwright/v1/GetInstanceRequest.ts';
import type { GetInstanceResponse as _rackwright_v1_GetInstanceResponse, GetInstanceResponse__Output as _rackwright_v1_GetInstanceResponse__Output } from './rackwright/v1/GetInstanceResponse.ts';
import type { Instance as _rackwright_v1_Instance, Instance__Output as _rackwright_v1_Instance__Output } from './rackwright/v1/Instance.ts';
import type { InstanceServiceClient as _rackwright_v1_InstanceServiceClient, InstanceServiceDefinition as _rackwright_v1_InstanceServiceDefinition } from './rackwright/v1/InstanceService.ts';
import type { ListArchitecturesRequest as _rackwright_v1_ListArchitecturesRequest, ListArchitecturesRequest__Output as _rackwright_v1_ListArchitecturesRequest__Output } from './rackwright/v1/ListArchitecturesRequest.ts';
import type { ListArchitecturesResponse as _rackwright_v1_ListArchitecturesResponse, ListArchitecturesResponse__Output as _rackwright_v1_ListArchitecturesResponse__Output } from './rackwright/v1/ListArchitecturesResponse.ts';
import type { ListInstancesRequest as _rackwright_v1_ListInstancesRequest, ListInstancesRequest__Output as _rackwright_v1_ListInstancesRequest__Output } from './rackwright/v1/ListInstancesRequest.ts';
import type { ListInstancesResponse as _rackwright_v1_ListInstancesResponse, ListInstancesResponse__Output as _rackwright_v1_ListInstancesResponse__Output } from './rackwright/v1/ListInstancesResponse.ts';
import type { ListPipelinesRequest as _rackwright_v1_ListPipelinesRequest, ListPipelinesRequest__Output as _rackwright_v1_ListPipelinesRequest__Output } from './rackwright/v1/ListPipelinesRequest.ts';
import type { ListPipelinesResponse as _rackwright_v1_ListPipelinesResponse, ListPipelinesResponse__Output as _rackwright_v1_ListPipelinesResponse__Output } from './rackwright/v1/ListPipelinesResponse.ts';
import type { Pipeline as _rackwright_v1_Pipeline, Pipeline__Output as _rackwright_v1_Pipeline__Output } from './rackwright/v1/Pipeline.ts';
import type { TaskLimits as _rackwright_v1_TaskLimits, TaskLimits__Output as _rackwright_v1_TaskLimits__Output } from './rackwright/v1/TaskLimits.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      GetInstanceRequest: MessageTypeDefinition<_rackwright_v1_GetInstanceRequest, _rackwright_v1_GetInstanceRequest__Output>
      GetInstanceResponse: MessageTypeDefinition<_rackwright_v1_GetInstanceResponse, _rackwright_v1_GetInstanceResponse__Output>
      Instance: MessageTypeDefinition<_rackwright_v1_Instance, _rackwright_v1_Instance__Output>
      InstanceService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_InstanceServiceClient> & { service: _rackwright_v1_InstanceServiceDefinition }
      ListArchitecturesRequest: MessageTypeDefinition<_rackwright_v1_ListArchitecturesRequest, _rackwright_v1_ListArchitecturesRequest__Output>
      ListArchitecturesResponse: MessageTypeDefinition<_rackwright_v1_ListArchitecturesResponse, _rackwright_v1_ListArchitecturesResponse__Output>
      ListInstancesRequest: MessageTypeDefinition<_rackwright_v1_ListInstancesRequest, _rackwright_v1_ListInstancesRequest__Output>
      ListInstancesResponse: MessageTypeDefinition<_rackwright_v1_ListInstancesResponse, _rackwright_v1_ListInstancesResponse__Output>
      ListPipelinesRequest: MessageTypeDefinition<_rackwright_v1_ListPipelinesRequest, _rackwright_v1_ListPipelinesRequest__Output>
      ListPipelinesResponse: MessageTypeDefinition<_rackwright_v1_ListPipelinesResponse, _rackwright_v1_ListPipelinesResponse__Output>
      Pipeline: MessageTypeDefinition<_rackwright_v1_Pipeline, _rackwright_v1_Pipeline__Output>
      TaskLimits: MessageTypeDefinition<_rackwright_v1_TaskLimits, _rackwright_v1_TaskLimits__Output>
    }
  }
}

