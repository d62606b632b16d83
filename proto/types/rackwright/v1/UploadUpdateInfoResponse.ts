// Original file: rackwright/v1/registry_service.proto


export interface UploadUpdateInfoResponse {
  'task'?: (string);
}

export interface UploadUpdateInfoResponse__Output {
  'task': (string);
}
