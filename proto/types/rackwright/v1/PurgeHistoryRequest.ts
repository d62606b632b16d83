// Original file: rackwright/v1/task_service.proto


export interface PurgeHistoryRequest {
  'instance'?: (string);
  'policy'?: (string);
}

export interface PurgeHistoryRequest__Output {
  'instance': (string);
  'policy': (string);
}
