// Original file: rackwright/v1/instance.proto


export interface Pipeline {
  'format'?: (string);
  'distribution'?: (string);
  'environment'?: (string);
  'derivatives'?: (string)[];
  'tag'?: (string);
}

export interface Pipeline__Output {
  'format': (string);
  'distribution': (string);
  'environment': (string);
  'derivatives': (string)[];
  'tag': (string);
}
