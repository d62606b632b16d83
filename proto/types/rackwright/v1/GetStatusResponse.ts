// Original file: rackwright/v1/inventory_service.proto

import type { InventoryStatus as _rackwright_v1_InventoryStatus, InventoryStatus__Output as _rackwright_v1_InventoryStatus__Output } from '../../rackwright/v1/InventoryStatus.ts';

export interface GetStatusResponse {
  'status'?: (_rackwright_v1_InventoryStatus | null);
}

export interface GetStatusResponse__Output {
  'status': (_rackwright_v1_InventoryStatus__Output | null);
}
