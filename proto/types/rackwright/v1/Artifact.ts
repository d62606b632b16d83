// Original file: rackwright/v1/artifact.proto

import type { Long } from '@grpc/proto-loader';

export interface Artifact {
  'architecture'?: (string);
  'name'?: (string);
  'version'?: (string);
  'size'?: (number | string | Long);
}

export interface Artifact__Output {
  'architecture': (string);
  'name': (string);
  'version': (string);
  'size': (number);
}
