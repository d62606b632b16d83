// Original file: rackwright/v1/registry_service.proto


export interface ListDerivativesResponse {
  'derivatives'?: (string)[];
}

export interface ListDerivativesResponse__Output {
  'derivatives': (string)[];
}
