// Original file: rackwright/v1/registry_service.proto

import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from '../../rackwright/v1/ArtifactPlace.ts';

export interface CompareGenerationsRequest {
  'place'?: (_rackwright_v1_ArtifactPlace | null);
  'from'?: (string);
  'to'?: (string);
}

export interface CompareGenerationsRequest__Output {
  'place': (_rackwright_v1_ArtifactPlace__Output | null);
  'from': (string);
  'to': (string);
}
