// Original file: rackwright/v1/build_service.proto

import type { SpooledFile as _rackwright_v1_SpooledFile, SpooledFile__Output as _rackwright_v1_SpooledFile__Output } from '../../rackwright/v1/SpooledFile.ts';
import type { SourceUpload as _rackwright_v1_SourceUpload, SourceUpload__Output as _rackwright_v1_SourceUpload__Output } from '../../rackwright/v1/SourceUpload.ts';

export interface SubmitBuildRequest {
  'instance'?: (string);
  'format'?: (string);
  'distribution'?: (string);
  'derivative'?: (string);
  'architectures'?: (string)[];
  'artifact'?: (string);
  'author'?: (string);
  'email'?: (string);
  'message'?: (string);
  'definition'?: (_rackwright_v1_SpooledFile | null);
  'sources'?: (_rackwright_v1_SourceUpload)[];
  'idempotencyKey'?: (string);
  'interactive'?: (boolean);
  'priority'?: (number);
}

export interface SubmitBuildRequest__Output {
  'instance': (string);
  'format': (string);
  'distribution': (string);
  'derivative': (string);
  'architectures': (string)[];
  'artifact': (string);
  'author': (string);
  'email': (string);
  'message': (string);
  'definition': (_rackwright_v1_SpooledFile__Output | null);
  'sources': (_rackwright_v1_SourceUpload__Output)[];
  'idempotencyKey': (string);
  'interactive': (boolean);
  'priority': (number);
}
