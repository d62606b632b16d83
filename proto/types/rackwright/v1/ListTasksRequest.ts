// Original file: rackwright/v1/task_service.proto

import type { TaskState as _rackwright_v1_TaskState, TaskState__Output as _rackwright_v1_TaskState__Output } from '../../rackwright/v1/TaskState.ts';
import type { TaskResult as _rackwright_v1_TaskResult, TaskResult__Output as _rackwright_v1_TaskResult__Output } from '../../rackwright/v1/TaskResult.ts';

export interface ListTasksRequest {
  'instance'?: (string);
  'states'?: (_rackwright_v1_TaskState)[];
  'name'?: (string);
  'artifact'?: (string);
  'user'?: (string);
  'result'?: (_rackwright_v1_TaskResult);
  'limit'?: (number);
  'after'?: (string);
}

export interface ListTasksRequest__Output {
  'instance': (string);
  'states': (_rackwright_v1_TaskState__Output)[];
  'name': (string);
  'artifact': (string);
  'user': (string);
  'result': (_rackwright_v1_TaskResult__Output);
  'limit': (number);
  'after': (string);
}
