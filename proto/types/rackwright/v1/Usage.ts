// Original file: rackwright/v1/task.proto

import type { Long } from '@grpc/proto-loader';

export interface Usage {
  'peakMemoryBytes'?: (number | string | Long);
  'cpuSeconds'?: (number | string);
}

export interface Usage__Output {
  'peakMemoryBytes': (number);
  'cpuSeconds': (number);
}
