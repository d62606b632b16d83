// Original file: rackwright/v1/registry_service.proto


export interface DeleteSnapshotResponse {
  'task'?: (string);
}

export interface DeleteSnapshotResponse__Output {
  'task': (string);
}
