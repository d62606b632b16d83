// Original file: rackwright/v1/daemon_service.proto

import type { Long } from '@grpc/proto-loader';

export interface EndedTasks {
  'instance'?: (string);
  'name'?: (string);
  'result'?: (string);
  'count'?: (number | string | Long);
  'seconds'?: (number | string);
}

export interface EndedTasks__Output {
  'instance': (string);
  'name': (string);
  'result': (string);
  'count': (number);
  'seconds': (number);
}
