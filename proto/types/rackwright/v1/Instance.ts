// Original file: rackwright/v1/instance.proto

import type { TaskLimits as _rackwright_v1_TaskLimits, TaskLimits__Output as _rackwright_v1_TaskLimits__Output } from '../../rackwright/v1/TaskLimits.ts';

export interface Instance {
  'id'?: (string);
  'name'?: (string);
  'userid'?: (string);
  'limits'?: (_rackwright_v1_TaskLimits | null);
}

export interface Instance__Output {
  'id': (string);
  'name': (string);
  'userid': (string);
  'limits': (_rackwright_v1_TaskLimits__Output | null);
}
