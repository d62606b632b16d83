// Original file: rackwright/v1/registry_service.proto

import type { ArtifactMatch as _rackwright_v1_ArtifactMatch, ArtifactMatch__Output as _rackwright_v1_ArtifactMatch__Output } from '../../rackwright/v1/ArtifactMatch.ts';

export interface SearchArtifactsResponse {
  'matches'?: (_rackwright_v1_ArtifactMatch)[];
}

export interface SearchArtifactsResponse__Output {
  'matches': (_rackwright_v1_ArtifactMatch__Output)[];
}
