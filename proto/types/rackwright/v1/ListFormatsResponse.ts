// Original file: rackwright/v1/registry_service.proto


export interface ListFormatsResponse {
  'formats'?: (string)[];
}

export interface ListFormatsResponse__Output {
  'formats': (string)[];
}
