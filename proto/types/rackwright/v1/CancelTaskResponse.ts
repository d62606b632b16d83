// Original file: rackwright/v1/task_service.proto

import type { Task as _rackwright_v1_Task, Task__Output as _rackwright_v1_Task__Output } from '../../rackwright/v1/Task.ts';

export interface CancelTaskResponse {
  'task'?: (_rackwright_v1_Task | null);
}

export interface CancelTaskResponse__Output {
  'task': (_rackwright_v1_Task__Output | null);
}
