// Original file: rackwright/v1/registry_service.proto


export interface ListFormatsRequest {
  'instance'?: (string);
}

export interface ListFormatsRequest__Output {
  'instance': (string);
}
