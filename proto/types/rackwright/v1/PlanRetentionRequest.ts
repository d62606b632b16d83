// Original file: rackwright/v1/registry_service.proto

import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from '../../rackwright/v1/ArtifactPlace.ts';
import type { RetentionRule as _rackwright_v1_RetentionRule, RetentionRule__Output as _rackwright_v1_RetentionRule__Output } from '../../rackwright/v1/RetentionRule.ts';

export interface PlanRetentionRequest {
  'place'?: (_rackwright_v1_ArtifactPlace | null);
  'rule'?: (_rackwright_v1_RetentionRule | null);
}

export interface PlanRetentionRequest__Output {
  'place': (_rackwright_v1_ArtifactPlace__Output | null);
  'rule': (_rackwright_v1_RetentionRule__Output | null);
}
