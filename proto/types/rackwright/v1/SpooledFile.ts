// Original file: rackwright/v1/build.proto

import type { Long } from '@grpc/proto-loader';

export interface SpooledFile {
  'spool'?: (string);
  'filename'?: (string);
  'size'?: (number | string | Long);
  'sha256'?: (string);
}

export interface SpooledFile__Output {
  'spool': (string);
  'filename': (string);
  'size': (number);
  'sha256': (string);
}
