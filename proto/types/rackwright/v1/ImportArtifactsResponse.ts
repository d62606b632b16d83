// Original file: rackwright/v1/registry_service.proto


export interface ImportArtifactsResponse {
  'task'?: (string);
}

export interface ImportArtifactsResponse__Output {
  'task': (string);
}
