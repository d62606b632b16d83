// Original file: rackwright/v1/daemon_service.proto


export interface HoldForBackupRequest {
}

export interface HoldForBackupRequest__Output {
}
