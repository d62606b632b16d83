// Original file: rackwright/v1/token_service.proto


export interface RevokeTokenRequest {
  'instance'?: (string);
  'jti'?: (string);
}

export interface RevokeTokenRequest__Output {
  'instance': (string);
  'jti': (string);
}
