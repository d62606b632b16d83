// Original file: rackwright/v1/keyring_service.proto


export interface ExportKeyringRequest {
  'instance'?: (string);
}

export interface ExportKeyringRequest__Output {
  'instance': (string);
}
