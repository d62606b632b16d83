// Original file: rackwright/v1/registry_service.proto


export interface RetainArtifactsResponse {
  'task'?: (string);
}

export interface RetainArtifactsResponse__Output {
  'task': (string);
}
