// Original file: rackwright/v1/image_service.proto


export interface CreateEnvironmentRequest {
  'instance'?: (string);
  'format'?: (string);
  'environment'?: (string);
  'architecture'?: (string);
}

export interface CreateEnvironmentRequest__Output {
  'instance': (string);
  'format': (string);
  'environment': (string);
  'architecture': (string);
}
