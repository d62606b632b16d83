// Original file: rackwright/v1/task_service.proto


export interface RetryTaskResponse {
  'task'?: (string);
}

export interface RetryTaskResponse__Output {
  'task': (string);
}
