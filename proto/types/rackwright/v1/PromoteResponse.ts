// Original file: rackwright/v1/registry_service.proto


export interface PromoteResponse {
  'task'?: (string);
}

export interface PromoteResponse__Output {
  'task': (string);
}
