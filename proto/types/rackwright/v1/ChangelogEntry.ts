// Original file: rackwright/v1/artifact.proto

import type { Long } from '@grpc/proto-loader';

export interface ChangelogEntry {
  'author'?: (string);
  'changes'?: (string)[];
  'date'?: (number | string | Long);
  'version'?: (string);
}

export interface ChangelogEntry__Output {
  'author': (string);
  'changes': (string)[];
  'date': (number);
  'version': (string);
}
