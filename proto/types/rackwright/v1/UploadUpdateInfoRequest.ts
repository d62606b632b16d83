// Original file: rackwright/v1/registry_service.proto

import type { UpdateInfoRequest as _rackwright_v1_UpdateInfoRequest, UpdateInfoRequest__Output as _rackwright_v1_UpdateInfoRequest__Output } from '../../rackwright/v1/UpdateInfoRequest.ts';

export interface UploadUpdateInfoRequest {
  'request'?: (_rackwright_v1_UpdateInfoRequest | null);
  'chunk'?: (Buffer | Uint8Array | string);
  'part'?: "request"|"chunk";
}

export interface UploadUpdateInfoRequest__Output {
  'request'?: (_rackwright_v1_UpdateInfoRequest__Output | null);
  'chunk'?: (Buffer);
  'part'?: "request"|"chunk";
}
