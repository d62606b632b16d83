// Original file: rackwright/v1/token_service.proto


export interface WhoAmIRequest {
  'instance'?: (string);
}

export interface WhoAmIRequest__Output {
  'instance': (string);
}
