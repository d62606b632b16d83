// Original file: rackwright/v1/console_service.proto


export interface AttachResponse {
  'frames'?: (Buffer | Uint8Array | string);
}

export interface AttachResponse__Output {
  'frames': (Buffer);
}
