// Original file: rackwright/v1/build_service.proto

import type { Long } from '@grpc/proto-loader';

export interface PrepareBuildResponse {
  'spool'?: (string);
  'maxUpload'?: (number | string | Long);
}

export interface PrepareBuildResponse__Output {
  'spool': (string);
  'maxUpload': (number);
}
