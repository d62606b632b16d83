// Original file: rackwright/v1/registry_service.proto

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from '../../rackwright/v1/Artifact.ts';

export interface Outdated {
  'artifact'?: (_rackwright_v1_Artifact | null);
  'published'?: (number | string);
  'newerVersions'?: (number);
  'snapshots'?: (string)[];
}

export interface Outdated__Output {
  'artifact': (_rackwright_v1_Artifact__Output | null);
  'published': (number);
  'newerVersions': (number);
  'snapshots': (string)[];
}
