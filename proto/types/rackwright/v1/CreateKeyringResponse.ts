// Original file: rackwright/v1/keyring_service.proto


export interface CreateKeyringResponse {
  'task'?: (string);
}

export interface CreateKeyringResponse__Output {
  'task': (string);
}
