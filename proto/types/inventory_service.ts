import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { GetStatusRequest as _rackwright_v1_GetStatusRequest, GetStatusRequest__Output as _rackwright_v1_GetStatusRequest__Output } from './rackwright/v1/GetStatusRequest.ts';
import type { GetStatusResponse as _rackwright_v1_GetStatusResponse, GetStatusResponse__Output as _rackwright_v1_GetStatusResponse__Output } from './rackwright/v1/GetStatusResponse.ts';
import type { GetViewRequest as _rackwright_v1_GetViewRequest, GetViewRequest__Output as _rackwright_v1_GetViewRequest__Output } from './rackwright/v1/GetViewRequest.ts';
import type { GetViewResponse as _rackwright_v1_GetViewResponse, GetViewResponse__Output as _rackwright_v1_GetViewResponse__Output } from './rackwright/v1/GetViewResponse.ts';
import type { InventoryServiceClient as _rackwright_v1_InventoryServiceClient, InventoryServiceDefinition as _rackwright_v1_InventoryServiceDefinition } from './rackwright/v1/InventoryService.ts';
import type { InventoryStatus as _rackwright_v1_InventoryStatus, InventoryStatus__Output as _rackwright_v1_InventoryStatus__Output } from './rackwright/v1/InventoryStatus.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      GetStatusRequest: MessageTypeDefinition<_rackwright_v1_GetStatusRequest, _rackwright_v1_GetStatusRequest__Output>
      GetStatusResponse: MessageTypeDefinition<_rackwright_v1_GetStatusResponse, _rackwright_v1_GetStatusResponse__Output>
      GetViewRequest: MessageTypeDefinition<_rackwright_v1_GetViewRequest, _rackwright_v1_GetViewRequest__Output>
      GetViewResponse: MessageTypeDefinition<_rackwright_v1_GetViewResponse, _rackwright_v1_GetViewResponse__Output>
      InventoryService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_InventoryServiceClient> & { service: _rackwright_v1_InventoryServiceDefinition }
      InventoryStatus: MessageTypeDefinition<_rackwright_v1_InventoryStatus, _rackwright_v1_InventoryStatus__Output>
    }
  }
}

