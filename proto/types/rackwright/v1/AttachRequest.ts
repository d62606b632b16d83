// Original file: rackwright/v1/console_service.proto


export interface AttachRequest {
  'instance'?: (string);
  'task'?: (string);
  'frames'?: (Buffer | Uint8Array | string);
}

export interface AttachRequest__Output {
  'instance': (string);
  'task': (string);
  'frames': (Buffer);
}
