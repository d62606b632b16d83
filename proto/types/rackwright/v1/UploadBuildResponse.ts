// Original file: rackwright/v1/build_service.proto


export interface UploadBuildResponse {
  'task'?: (string);
}

export interface UploadBuildResponse__Output {
  'task': (string);
}
