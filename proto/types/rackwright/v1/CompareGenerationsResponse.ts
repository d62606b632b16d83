// Original file: rackwright/v1/registry_service.proto

import type { Difference as _rackwright_v1_Difference, Difference__Output as _rackwright_v1_Difference__Output } from '../../rackwright/v1/Difference.ts';

export interface CompareGenerationsResponse {
  'differences'?: (_rackwright_v1_Difference)[];
}

export interface CompareGenerationsResponse__Output {
  'differences': (_rackwright_v1_Difference__Output)[];
}
