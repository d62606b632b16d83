// Original file: rackwright/v1/task_service.proto


export interface WatchTasksRequest {
  'instance'?: (string);
  'task'?: (string);
}

export interface WatchTasksRequest__Output {
  'instance': (string);
  'task': (string);
}
