// Original file: rackwright/v1/image_service.proto


export interface UpdateImageRequest {
  'instance'?: (string);
  'format'?: (string);
}

export interface UpdateImageRequest__Output {
  'instance': (string);
  'format': (string);
}
