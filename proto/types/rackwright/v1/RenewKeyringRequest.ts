// Original file: rackwright/v1/keyring_service.proto


export interface RenewKeyringRequest {
  'instance'?: (string);
  'duration'?: (string);
}

export interface RenewKeyringRequest__Output {
  'instance': (string);
  'duration': (string);
}
