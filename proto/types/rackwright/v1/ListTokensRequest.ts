// Original file: rackwright/v1/token_service.proto


export interface ListTokensRequest {
  'instance'?: (string);
}

export interface ListTokensRequest__Output {
  'instance': (string);
}
