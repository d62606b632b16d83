import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { InventoryStatus as _rackwright_v1_InventoryStatus, InventoryStatus__Output as _rackwright_v1_InventoryStatus__Output } from './rackwright/v1/InventoryStatus.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      InventoryStatus: MessageTypeDefinition<_rackwright_v1_InventoryStatus, _rackwright_v1_InventoryStatus__Output>
    }
  }
}

