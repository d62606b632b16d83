// Original file: rackwright/v1/image_service.proto


export interface OpenShellRequest {
  'instance'?: (string);
  'format'?: (string);
  'environment'?: (string);
  'architecture'?: (string);
  'term'?: (string);
  'command'?: (string)[];
}

export interface OpenShellRequest__Output {
  'instance': (string);
  'format': (string);
  'environment': (string);
  'architecture': (string);
  'term': (string);
  'command': (string)[];
}
