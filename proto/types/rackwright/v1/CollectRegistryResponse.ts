// Original file: rackwright/v1/registry_service.proto


export interface CollectRegistryResponse {
  'task'?: (string);
}

export interface CollectRegistryResponse__Output {
  'task': (string);
}
