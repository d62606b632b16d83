// Original file: rackwright/v1/task.proto


export interface KeyringDetail {
  'duration'?: (string);
}

export interface KeyringDetail__Output {
  'duration': (string);
}
