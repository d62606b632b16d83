// Original file: rackwright/v1/registry_service.proto


export interface RollBackResponse {
  'task'?: (string);
}

export interface RollBackResponse__Output {
  'task': (string);
}
