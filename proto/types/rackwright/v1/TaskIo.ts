// Original file: rackwright/v1/task.proto


export interface TaskIo {
  'console'?: (string);
  'interactive'?: (boolean);
  'journal'?: (string);
}

export interface TaskIo__Output {
  'console': (string);
  'interactive': (boolean);
  'journal': (string);
}
