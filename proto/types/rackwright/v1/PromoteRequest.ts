// Original file: rackwright/v1/registry_service.proto

import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from '../../rackwright/v1/ArtifactPlace.ts';

export interface PromoteRequest {
  'place'?: (_rackwright_v1_ArtifactPlace | null);
  'from'?: (_rackwright_v1_ArtifactPlace | null);
  'snapshot'?: (string);
  'artifact'?: (string);
  'version'?: (string);
  'idempotencyKey'?: (string);
}

export interface PromoteRequest__Output {
  'place': (_rackwright_v1_ArtifactPlace__Output | null);
  'from': (_rackwright_v1_ArtifactPlace__Output | null);
  'snapshot': (string);
  'artifact': (string);
  'version': (string);
  'idempotencyKey': (string);
}
