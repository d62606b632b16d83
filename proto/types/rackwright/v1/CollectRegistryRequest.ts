// Original file: rackwright/v1/registry_service.proto

import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from '../../rackwright/v1/ArtifactPlace.ts';

export interface CollectRegistryRequest {
  'place'?: (_rackwright_v1_ArtifactPlace | null);
  'idempotencyKey'?: (string);
}

export interface CollectRegistryRequest__Output {
  'place': (_rackwright_v1_ArtifactPlace__Output | null);
  'idempotencyKey': (string);
}
