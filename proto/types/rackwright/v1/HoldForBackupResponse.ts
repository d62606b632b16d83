// Original file: rackwright/v1/daemon_service.proto


export interface HoldForBackupResponse {
  'stage'?: (string);
  'state'?: (string);
  'registry'?: (string);
  'folders'?: (string)[];
}

export interface HoldForBackupResponse__Output {
  'stage': (string);
  'state': (string);
  'registry': (string);
  'folders': (string)[];
}
