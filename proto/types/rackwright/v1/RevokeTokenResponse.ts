// Original file: rackwright/v1/token_service.proto


export interface RevokeTokenResponse {
}

export interface RevokeTokenResponse__Output {
}
