// Original file: rackwright/v1/image.proto

import type { Environment as _rackwright_v1_Environment, Environment__Output as _rackwright_v1_Environment__Output } from '../../rackwright/v1/Environment.ts';
import type { Long } from '@grpc/proto-loader';

export interface Image {
  'format'?: (string);
  'exists'?: (boolean);
  'created'?: (number | string | Long);
  'updated'?: (number | string | Long);
  'environments'?: (_rackwright_v1_Environment)[];
}

export interface Image__Output {
  'format': (string);
  'exists': (boolean);
  'created': (number);
  'updated': (number);
  'environments': (_rackwright_v1_Environment__Output)[];
}
