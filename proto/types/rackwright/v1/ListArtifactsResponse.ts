// Original file: rackwright/v1/registry_service.proto

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from '../../rackwright/v1/Artifact.ts';

export interface ListArtifactsResponse {
  'artifacts'?: (_rackwright_v1_Artifact)[];
  'next'?: (string);
}

export interface ListArtifactsResponse__Output {
  'artifacts': (_rackwright_v1_Artifact__Output)[];
  'next': (string);
}
