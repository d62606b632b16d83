// Original file: rackwright/v1/task_service.proto


export interface SetPriorityRequest {
  'instance'?: (string);
  'task'?: (string);
  'priority'?: (number);
}

export interface SetPriorityRequest__Output {
  'instance': (string);
  'task': (string);
  'priority': (number);
}
