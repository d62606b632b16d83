// Original file: rackwright/v1/daemon_service.proto


export interface ReloadSettingsResponse {
}

export interface ReloadSettingsResponse__Output {
}
