// Original file: rackwright/v1/registry_service.proto

import type { ArtifactDescription as _rackwright_v1_ArtifactDescription, ArtifactDescription__Output as _rackwright_v1_ArtifactDescription__Output } from '../../rackwright/v1/ArtifactDescription.ts';

export interface DescribeArtifactResponse {
  'part'?: (_rackwright_v1_ArtifactDescription | null);
}

export interface DescribeArtifactResponse__Output {
  'part': (_rackwright_v1_ArtifactDescription__Output | null);
}
