// Original file: rackwright/v1/task_service.proto


export interface GetTaskRequest {
  'instance'?: (string);
  'task'?: (string);
}

export interface GetTaskRequest__Output {
  'instance': (string);
  'task': (string);
}
