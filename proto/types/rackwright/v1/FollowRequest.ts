// Original file: rackwright/v1/console_service.proto

import type { Long } from '@grpc/proto-loader';

export interface FollowRequest {
  'instance'?: (string);
  'task'?: (string);
  'offset'?: (number | string | Long);
  'heartbeat'?: (number);
  'storedOnly'?: (boolean);
}

export interface FollowRequest__Output {
  'instance': (string);
  'task': (string);
  'offset': (number);
  'heartbeat': (number);
  'storedOnly': (boolean);
}
