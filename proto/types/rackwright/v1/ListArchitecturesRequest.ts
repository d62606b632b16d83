// Original file: rackwright/v1/instance_service.proto


export interface ListArchitecturesRequest {
  'instance'?: (string);
}

export interface ListArchitecturesRequest__Output {
  'instance': (string);
}
