// Original file: rackwright/v1/daemon_service.proto


export interface SigningKey {
  'instance'?: (string);
  'expires'?: (number | string);
}

export interface SigningKey__Output {
  'instance': (string);
  'expires': (number);
}
