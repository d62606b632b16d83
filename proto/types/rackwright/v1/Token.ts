// Original file: rackwright/v1/token.proto

import type { Long } from '@grpc/proto-loader';

export interface Token {
  'jti'?: (string);
  'subject'?: (string);
  'issued'?: (number | string | Long);
  'expires'?: (number | string | Long);
  'revoked'?: (number | string | Long);
}

export interface Token__Output {
  'jti': (string);
  'subject': (string);
  'issued': (number);
  'expires': (number);
  'revoked': (number);
}
