// Original file: rackwright/v1/keyring_service.proto


export interface ExportKeyringResponse {
  'armored'?: (string);
}

export interface ExportKeyringResponse__Output {
  'armored': (string);
}
