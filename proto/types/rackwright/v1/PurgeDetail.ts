// Original file: rackwright/v1/task.proto


export interface PurgeDetail {
  'policy'?: (string);
}

export interface PurgeDetail__Output {
  'policy': (string);
}
