// Original file: rackwright/v1/task_service.proto


export interface PurgeHistoryResponse {
  'task'?: (string);
}

export interface PurgeHistoryResponse__Output {
  'task': (string);
}
