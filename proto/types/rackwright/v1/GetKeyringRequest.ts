// Original file: rackwright/v1/keyring_service.proto


export interface GetKeyringRequest {
  'instance'?: (string);
}

export interface GetKeyringRequest__Output {
  'instance': (string);
}
