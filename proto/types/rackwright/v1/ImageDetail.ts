// Original file: rackwright/v1/task.proto


export interface ImageDetail {
  'format'?: (string);
  'force'?: (boolean);
  'term'?: (string);
  'command'?: (string)[];
}

export interface ImageDetail__Output {
  'format': (string);
  'force': (boolean);
  'term': (string);
  'command': (string)[];
}
