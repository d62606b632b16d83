// Original file: rackwright/v1/image_service.proto


export interface CreateImageRequest {
  'instance'?: (string);
  'format'?: (string);
  'force'?: (boolean);
}

export interface CreateImageRequest__Output {
  'instance': (string);
  'format': (string);
  'force': (boolean);
}
