// Original file: rackwright/v1/registry_service.proto


export interface DeleteArtifactResponse {
  'task'?: (string);
}

export interface DeleteArtifactResponse__Output {
  'task': (string);
}
