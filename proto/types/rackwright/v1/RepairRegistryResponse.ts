// Original file: rackwright/v1/registry_service.proto


export interface RepairRegistryResponse {
  'task'?: (string);
}

export interface RepairRegistryResponse__Output {
  'task': (string);
}
