// Original file: rackwright/v1/registry_service.proto

import type { RetentionRule as _rackwright_v1_RetentionRule, RetentionRule__Output as _rackwright_v1_RetentionRule__Output } from '../../rackwright/v1/RetentionRule.ts';
import type { Outdated as _rackwright_v1_Outdated, Outdated__Output as _rackwright_v1_Outdated__Output } from '../../rackwright/v1/Outdated.ts';

export interface PlanRetentionResponse {
  'rule'?: (_rackwright_v1_RetentionRule | null);
  'outdated'?: (_rackwright_v1_Outdated)[];
}

export interface PlanRetentionResponse__Output {
  'rule': (_rackwright_v1_RetentionRule__Output | null);
  'outdated': (_rackwright_v1_Outdated__Output)[];
}
