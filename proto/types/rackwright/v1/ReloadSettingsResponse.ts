// Original file: rackwright/v1/daemon_service.proto


export interface ReloadSettingsResponse {
  'restart'?: (string)[];
}

export interface ReloadSettingsResponse__Output {
  'restart': (string)[];
}
