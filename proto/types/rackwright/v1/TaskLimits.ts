// Original file: rackwright/v1/instance.proto

import type { Long } from '@grpc/proto-loader';

export interface TaskLimits {
  'memory'?: (number | string | Long);
  'cpus'?: (number | string);
  'pids'?: (number | string | Long);
  'disk'?: (number | string | Long);
  'timeout'?: (number | string | Long);
  'idleTimeout'?: (number | string | Long);
}

export interface TaskLimits__Output {
  'memory': (number);
  'cpus': (number);
  'pids': (number);
  'disk': (number);
  'timeout': (number);
  'idleTimeout': (number);
}
