// Original file: rackwright/v1/drawing.proto


export interface DrawingSetting {
  'path'?: (string);
  'value'?: (string);
}

export interface DrawingSetting__Output {
  'path': (string);
  'value': (string);
}
