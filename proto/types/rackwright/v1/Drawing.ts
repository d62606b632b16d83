// Original file: rackwright/v1/drawing.proto


export interface Drawing {
  'entity'?: (string);
  'name'?: (string);
  'format'?: (string);
  'parameters'?: (Buffer | Uint8Array | string);
  'syntax'?: (string);
  'coordinates'?: (string);
}

export interface Drawing__Output {
  'entity': (string);
  'name': (string);
  'format': (string);
  'parameters': (Buffer);
  'syntax': (string);
  'coordinates': (string);
}
