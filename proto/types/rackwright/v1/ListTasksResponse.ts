// Original file: rackwright/v1/task_service.proto

import type { Task as _rackwright_v1_Task, Task__Output as _rackwright_v1_Task__Output } from '../../rackwright/v1/Task.ts';

export interface ListTasksResponse {
  'tasks'?: (_rackwright_v1_Task)[];
  'next'?: (string);
}

export interface ListTasksResponse__Output {
  'tasks': (_rackwright_v1_Task__Output)[];
  'next': (string);
}
