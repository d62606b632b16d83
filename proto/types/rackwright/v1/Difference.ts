// Original file: rackwright/v1/registry_service.proto

import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from '../../rackwright/v1/ArtifactPlace.ts';
import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from '../../rackwright/v1/Artifact.ts';

export interface Difference {
  'place'?: (_rackwright_v1_ArtifactPlace | null);
  'artifact'?: (_rackwright_v1_Artifact | null);
  'added'?: (boolean);
}

export interface Difference__Output {
  'place': (_rackwright_v1_ArtifactPlace__Output | null);
  'artifact': (_rackwright_v1_Artifact__Output | null);
  'added': (boolean);
}
