// Original file: rackwright/v1/registry_service.proto


export interface CreateSnapshotResponse {
  'task'?: (string);
}

export interface CreateSnapshotResponse__Output {
  'task': (string);
}
