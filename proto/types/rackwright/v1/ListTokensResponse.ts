// Original file: rackwright/v1/token_service.proto

import type { Token as _rackwright_v1_Token, Token__Output as _rackwright_v1_Token__Output } from '../../rackwright/v1/Token.ts';

export interface ListTokensResponse {
  'tokens'?: (_rackwright_v1_Token)[];
}

export interface ListTokensResponse__Output {
  'tokens': (_rackwright_v1_Token__Output)[];
}
