// Original file: rackwright/v1/task.proto

import type { SourceArchive as _rackwright_v1_SourceArchive, SourceArchive__Output as _rackwright_v1_SourceArchive__Output } from '../../rackwright/v1/SourceArchive.ts';

export interface BuildDetail {
  'format'?: (string);
  'distribution'?: (string);
  'derivative'?: (string);
  'architectures'?: (string)[];
  'artifact'?: (string);
  'author'?: (string);
  'email'?: (string);
  'message'?: (string);
  'archives'?: (_rackwright_v1_SourceArchive)[];
  'version'?: (string);
}

export interface BuildDetail__Output {
  'format': (string);
  'distribution': (string);
  'derivative': (string);
  'architectures': (string)[];
  'artifact': (string);
  'author': (string);
  'email': (string);
  'message': (string);
  'archives': (_rackwright_v1_SourceArchive__Output)[];
  'version': (string);
}
