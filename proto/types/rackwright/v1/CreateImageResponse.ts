// Original file: rackwright/v1/image_service.proto


export interface CreateImageResponse {
  'task'?: (string);
}

export interface CreateImageResponse__Output {
  'task': (string);
}
