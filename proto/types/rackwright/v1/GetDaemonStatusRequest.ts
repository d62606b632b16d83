// Original file: rackwright/v1/daemon_service.proto


export interface GetDaemonStatusRequest {
}

export interface GetDaemonStatusRequest__Output {
}
