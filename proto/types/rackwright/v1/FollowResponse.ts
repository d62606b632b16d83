// Original file: rackwright/v1/console_service.proto


export interface FollowResponse {
  'frames'?: (Buffer | Uint8Array | string);
}

export interface FollowResponse__Output {
  'frames': (Buffer);
}
