// Original file: rackwright/v1/keyring.proto

import type { Key as _rackwright_v1_Key, Key__Output as _rackwright_v1_Key__Output } from '../../rackwright/v1/Key.ts';
import type { Long } from '@grpc/proto-loader';

export interface Keyring {
  'userid'?: (string);
  'master'?: (_rackwright_v1_Key | null);
  'subkey'?: (_rackwright_v1_Key | null);
  'updated'?: (number | string | Long);
}

export interface Keyring__Output {
  'userid': (string);
  'master': (_rackwright_v1_Key__Output | null);
  'subkey': (_rackwright_v1_Key__Output | null);
  'updated': (number);
}
