// Original file: rackwright/v1/image.proto

import type { Long } from '@grpc/proto-loader';

export interface Environment {
  'name'?: (string);
  'architecture'?: (string);
  'exists'?: (boolean);
  'created'?: (number | string | Long);
  'updated'?: (number | string | Long);
  'size'?: (number | string | Long);
}

export interface Environment__Output {
  'name': (string);
  'architecture': (string);
  'exists': (boolean);
  'created': (number);
  'updated': (number);
  'size': (number);
}
