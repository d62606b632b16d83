// Original file: rackwright/v1/keyring.proto

import type { Long } from '@grpc/proto-loader';

export interface Key {
  'id'?: (string);
  'fingerprint'?: (string);
  'algorithm'?: (string);
  'expires'?: (number | string | Long);
  'created'?: (number | string | Long);
}

export interface Key__Output {
  'id': (string);
  'fingerprint': (string);
  'algorithm': (string);
  'expires': (number);
  'created': (number);
}
