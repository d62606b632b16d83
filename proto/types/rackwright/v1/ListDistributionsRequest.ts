// Original file: rackwright/v1/registry_service.proto


export interface ListDistributionsRequest {
  'instance'?: (string);
  'format'?: (string);
}

export interface ListDistributionsRequest__Output {
  'instance': (string);
  'format': (string);
}
