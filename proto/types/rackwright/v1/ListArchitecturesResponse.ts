// Original file: rackwright/v1/instance_service.proto


export interface ListArchitecturesResponse {
  'architectures'?: (string)[];
}

export interface ListArchitecturesResponse__Output {
  'architectures': (string)[];
}
