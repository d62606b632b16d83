// Original file: rackwright/v1/task.proto


export interface Progress {
  'step'?: (string);
  'done'?: (number);
  'total'?: (number);
}

export interface Progress__Output {
  'step': (string);
  'done': (number);
  'total': (number);
}
