// Original file: rackwright/v1/task_service.proto


export interface CancelTaskRequest {
  'instance'?: (string);
  'task'?: (string);
}

export interface CancelTaskRequest__Output {
  'instance': (string);
  'task': (string);
}
