// Original file: rackwright/v1/instance.proto


export interface Instance {
  'id'?: (string);
  'name'?: (string);
  'userid'?: (string);
}

export interface Instance__Output {
  'id': (string);
  'name': (string);
  'userid': (string);
}
