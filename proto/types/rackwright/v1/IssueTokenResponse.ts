// Original file: rackwright/v1/token_service.proto

import type { Token as _rackwright_v1_Token, Token__Output as _rackwright_v1_Token__Output } from '../../rackwright/v1/Token.ts';

export interface IssueTokenResponse {
  'token'?: (string);
  'issued'?: (_rackwright_v1_Token | null);
}

export interface IssueTokenResponse__Output {
  'token': (string);
  'issued': (_rackwright_v1_Token__Output | null);
}
