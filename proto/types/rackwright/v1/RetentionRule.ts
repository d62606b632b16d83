// Original file: rackwright/v1/registry_service.proto

import type { Long } from '@grpc/proto-loader';

export interface RetentionRule {
  'last'?: (number);
  'newer'?: (number | string | Long);
}

export interface RetentionRule__Output {
  'last': (number);
  'newer': (number);
}
