// Original file: rackwright/v1/registry_service.proto

import type { Generation as _rackwright_v1_Generation, Generation__Output as _rackwright_v1_Generation__Output } from '../../rackwright/v1/Generation.ts';

export interface ListGenerationsResponse {
  'generations'?: (_rackwright_v1_Generation)[];
}

export interface ListGenerationsResponse__Output {
  'generations': (_rackwright_v1_Generation__Output)[];
}
