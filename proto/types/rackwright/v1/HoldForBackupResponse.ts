// Original file: rackwright/v1/daemon_service.proto


export interface HoldForBackupResponse {
  'stage'?: (string);
  'state'?: (string);
  'registry'?: (string);
  'folders'?: (string)[];
  'etc'?: (string);
  'lib'?: (string);
  'cache'?: (string);
  'run'?: (string);
}

export interface HoldForBackupResponse__Output {
  'stage': (string);
  'state': (string);
  'registry': (string);
  'folders': (string)[];
  'etc': (string);
  'lib': (string);
  'cache': (string);
  'run': (string);
}
