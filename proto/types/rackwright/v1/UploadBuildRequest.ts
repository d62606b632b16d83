// Original file: rackwright/v1/build_service.proto

import type { SubmitBuildRequest as _rackwright_v1_SubmitBuildRequest, SubmitBuildRequest__Output as _rackwright_v1_SubmitBuildRequest__Output } from '../../rackwright/v1/SubmitBuildRequest.ts';

export interface UploadBuildRequest {
  'request'?: (_rackwright_v1_SubmitBuildRequest | null);
  'chunk'?: (Buffer | Uint8Array | string);
  'part'?: "request"|"chunk";
}

export interface UploadBuildRequest__Output {
  'request'?: (_rackwright_v1_SubmitBuildRequest__Output | null);
  'chunk'?: (Buffer);
  'part'?: "request"|"chunk";
}
