// Original file: rackwright/v1/build.proto

import type { SpooledFile as _rackwright_v1_SpooledFile, SpooledFile__Output as _rackwright_v1_SpooledFile__Output } from '../../rackwright/v1/SpooledFile.ts';

export interface SourceUpload {
  'id'?: (string);
  'file'?: (_rackwright_v1_SpooledFile | null);
}

export interface SourceUpload__Output {
  'id': (string);
  'file': (_rackwright_v1_SpooledFile__Output | null);
}
