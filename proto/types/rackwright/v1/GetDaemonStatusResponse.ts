// Original file: rackwright/v1/daemon_service.proto

import type { EndedTasks as _rackwright_v1_EndedTasks, EndedTasks__Output as _rackwright_v1_EndedTasks__Output } from '../../rackwright/v1/EndedTasks.ts';
import type { SigningKey as _rackwright_v1_SigningKey, SigningKey__Output as _rackwright_v1_SigningKey__Output } from '../../rackwright/v1/SigningKey.ts';

export interface GetDaemonStatusResponse {
  'version'?: (string);
  'started'?: (number | string);
  'running'?: (number);
  'waiting'?: (number);
  'ended'?: (_rackwright_v1_EndedTasks)[];
  'signingKeys'?: (_rackwright_v1_SigningKey)[];
}

export interface GetDaemonStatusResponse__Output {
  'version': (string);
  'started': (number);
  'running': (number);
  'waiting': (number);
  'ended': (_rackwright_v1_EndedTasks__Output)[];
  'signingKeys': (_rackwright_v1_SigningKey__Output)[];
}
