// Original file: rackwright/v1/inventory.proto

import type { Long } from '@grpc/proto-loader';

export interface InventoryStatus {
  'loaded'?: (number | string | Long);
  'faults'?: (string)[];
  'warnings'?: (string)[];
}

export interface InventoryStatus__Output {
  'loaded': (number);
  'faults': (string)[];
  'warnings': (string)[];
}
