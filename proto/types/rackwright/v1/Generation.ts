// Original file: rackwright/v1/registry_service.proto


export interface Generation {
  'name'?: (string);
  'created'?: (number | string);
  'superseded'?: (number | string);
  'task'?: (string);
  'snapshots'?: (string)[];
}

export interface Generation__Output {
  'name': (string);
  'created': (number);
  'superseded': (number);
  'task': (string);
  'snapshots': (string)[];
}
