// Original file: rackwright/v1/registry_service.proto


export interface ListDistributionsResponse {
  'distributions'?: (string)[];
}

export interface ListDistributionsResponse__Output {
  'distributions': (string)[];
}
