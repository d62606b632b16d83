// Original file: rackwright/v1/build_service.proto


export interface SubmitBuildResponse {
  'task'?: (string);
}

export interface SubmitBuildResponse__Output {
  'task': (string);
}
