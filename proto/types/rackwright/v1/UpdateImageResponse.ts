// Original file: rackwright/v1/image_service.proto


export interface UpdateImageResponse {
  'task'?: (string);
}

export interface UpdateImageResponse__Output {
  'task': (string);
}
