// Original file: rackwright/v1/instance_service.proto

import type { Instance as _rackwright_v1_Instance, Instance__Output as _rackwright_v1_Instance__Output } from '../../rackwright/v1/Instance.ts';

export interface GetInstanceResponse {
  'instance'?: (_rackwright_v1_Instance | null);
}

export interface GetInstanceResponse__Output {
  'instance': (_rackwright_v1_Instance__Output | null);
}
