// Original file: rackwright/v1/registry_service.proto

import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from '../../rackwright/v1/ArtifactPlace.ts';

export interface ImportArtifactsRequest {
  'place'?: (_rackwright_v1_ArtifactPlace | null);
  'source'?: (string);
  'suite'?: (string);
  'components'?: (string)[];
  'keys'?: (string);
  'idempotencyKey'?: (string);
}

export interface ImportArtifactsRequest__Output {
  'place': (_rackwright_v1_ArtifactPlace__Output | null);
  'source': (string);
  'suite': (string);
  'components': (string)[];
  'keys': (string);
  'idempotencyKey': (string);
}
