// Original file: rackwright/v1/image_service.proto


export interface UpdateEnvironmentRequest {
  'instance'?: (string);
  'format'?: (string);
  'environment'?: (string);
  'architecture'?: (string);
}

export interface UpdateEnvironmentRequest__Output {
  'instance': (string);
  'format': (string);
  'environment': (string);
  'architecture': (string);
}
