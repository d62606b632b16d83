// Original file: rackwright/v1/image_service.proto


export interface OpenShellResponse {
  'task'?: (string);
}

export interface OpenShellResponse__Output {
  'task': (string);
}
