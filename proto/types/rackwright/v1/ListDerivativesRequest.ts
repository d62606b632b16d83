// Original file: rackwright/v1/registry_service.proto


export interface ListDerivativesRequest {
  'instance'?: (string);
  'format'?: (string);
  'distribution'?: (string);
}

export interface ListDerivativesRequest__Output {
  'instance': (string);
  'format': (string);
  'distribution': (string);
}
