// Original file: rackwright/v1/task.proto

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from '../../rackwright/v1/Artifact.ts';

export interface DeletionDetail {
  'format'?: (string);
  'distribution'?: (string);
  'derivative'?: (string);
  'artifact'?: (_rackwright_v1_Artifact | null);
}

export interface DeletionDetail__Output {
  'format': (string);
  'distribution': (string);
  'derivative': (string);
  'artifact': (_rackwright_v1_Artifact__Output | null);
}
