// Original file: rackwright/v1/image_service.proto


export interface CreateEnvironmentResponse {
  'task'?: (string);
}

export interface CreateEnvironmentResponse__Output {
  'task': (string);
}
