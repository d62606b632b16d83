// Original file: rackwright/v1/keyring_service.proto

import type { Keyring as _rackwright_v1_Keyring, Keyring__Output as _rackwright_v1_Keyring__Output } from '../../rackwright/v1/Keyring.ts';

export interface GetKeyringResponse {
  'keyring'?: (_rackwright_v1_Keyring | null);
}

export interface GetKeyringResponse__Output {
  'keyring': (_rackwright_v1_Keyring__Output | null);
}
