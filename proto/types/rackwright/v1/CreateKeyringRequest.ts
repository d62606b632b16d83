// Original file: rackwright/v1/keyring_service.proto


export interface CreateKeyringRequest {
  'instance'?: (string);
}

export interface CreateKeyringRequest__Output {
  'instance': (string);
}
