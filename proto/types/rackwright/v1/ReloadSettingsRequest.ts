// Original file: rackwright/v1/daemon_service.proto


export interface ReloadSettingsRequest {
}

export interface ReloadSettingsRequest__Output {
}
