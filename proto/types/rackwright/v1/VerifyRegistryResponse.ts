// Original file: rackwright/v1/registry_service.proto


export interface VerifyRegistryResponse {
  'task'?: (string);
}

export interface VerifyRegistryResponse__Output {
  'task': (string);
}
