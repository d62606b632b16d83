// Original file: rackwright/v1/task_service.proto


export interface RetryTaskRequest {
  'instance'?: (string);
  'task'?: (string);
}

export interface RetryTaskRequest__Output {
  'instance': (string);
  'task': (string);
}
