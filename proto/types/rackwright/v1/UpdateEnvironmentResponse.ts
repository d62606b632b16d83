// Original file: rackwright/v1/image_service.proto


export interface UpdateEnvironmentResponse {
  'task'?: (string);
}

export interface UpdateEnvironmentResponse__Output {
  'task': (string);
}
