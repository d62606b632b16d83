// Original file: rackwright/v1/task.proto


export interface EnvironmentDetail {
  'format'?: (string);
  'environment'?: (string);
  'architecture'?: (string);
  'term'?: (string);
  'command'?: (string)[];
}

export interface EnvironmentDetail__Output {
  'format': (string);
  'environment': (string);
  'architecture': (string);
  'term': (string);
  'command': (string)[];
}
