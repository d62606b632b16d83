// Original file: rackwright/v1/image_service.proto


export interface ListImagesRequest {
  'instance'?: (string);
}

export interface ListImagesRequest__Output {
  'instance': (string);
}
