// Original file: rackwright/v1/keyring_service.proto


export interface RenewKeyringResponse {
  'task'?: (string);
}

export interface RenewKeyringResponse__Output {
  'task': (string);
}
