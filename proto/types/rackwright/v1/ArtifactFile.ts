// Original file: rackwright/v1/artifact.proto

import type { Long } from '@grpc/proto-loader';

export interface ArtifactFile {
  'path'?: (string);
  'type'?: (string);
  'size'?: (number | string | Long);
}

export interface ArtifactFile__Output {
  'path': (string);
  'type': (string);
  'size': (number);
}
