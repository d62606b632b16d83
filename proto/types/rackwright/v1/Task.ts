// Original file: rackwright/v1/task.proto

import type { TaskState as _rackwright_v1_TaskState, TaskState__Output as _rackwright_v1_TaskState__Output } from '../../rackwright/v1/TaskState.ts';
import type { TaskResult as _rackwright_v1_TaskResult, TaskResult__Output as _rackwright_v1_TaskResult__Output } from '../../rackwright/v1/TaskResult.ts';
import type { TaskIo as _rackwright_v1_TaskIo, TaskIo__Output as _rackwright_v1_TaskIo__Output } from '../../rackwright/v1/TaskIo.ts';
import type { Progress as _rackwright_v1_Progress, Progress__Output as _rackwright_v1_Progress__Output } from '../../rackwright/v1/Progress.ts';
import type { Usage as _rackwright_v1_Usage, Usage__Output as _rackwright_v1_Usage__Output } from '../../rackwright/v1/Usage.ts';
import type { BuildDetail as _rackwright_v1_BuildDetail, BuildDetail__Output as _rackwright_v1_BuildDetail__Output } from '../../rackwright/v1/BuildDetail.ts';
import type { DeletionDetail as _rackwright_v1_DeletionDetail, DeletionDetail__Output as _rackwright_v1_DeletionDetail__Output } from '../../rackwright/v1/DeletionDetail.ts';
import type { KeyringDetail as _rackwright_v1_KeyringDetail, KeyringDetail__Output as _rackwright_v1_KeyringDetail__Output } from '../../rackwright/v1/KeyringDetail.ts';
import type { ImageDetail as _rackwright_v1_ImageDetail, ImageDetail__Output as _rackwright_v1_ImageDetail__Output } from '../../rackwright/v1/ImageDetail.ts';
import type { EnvironmentDetail as _rackwright_v1_EnvironmentDetail, EnvironmentDetail__Output as _rackwright_v1_EnvironmentDetail__Output } from '../../rackwright/v1/EnvironmentDetail.ts';
import type { PurgeDetail as _rackwright_v1_PurgeDetail, PurgeDetail__Output as _rackwright_v1_PurgeDetail__Output } from '../../rackwright/v1/PurgeDetail.ts';
import type { RegistryDetail as _rackwright_v1_RegistryDetail, RegistryDetail__Output as _rackwright_v1_RegistryDetail__Output } from '../../rackwright/v1/RegistryDetail.ts';

export interface Task {
  'id'?: (string);
  'instance'?: (string);
  'name'?: (string);
  'state'?: (_rackwright_v1_TaskState);
  'result'?: (_rackwright_v1_TaskResult);
  'user'?: (string);
  'submission'?: (number | string);
  'started'?: (number | string);
  'ended'?: (number | string);
  'attempts'?: (number);
  'priority'?: (number);
  'place'?: (string);
  'io'?: (_rackwright_v1_TaskIo | null);
  'reason'?: (string);
  'cause'?: (string);
  'progress'?: (_rackwright_v1_Progress | null);
  'retryOf'?: (string);
  'usage'?: (_rackwright_v1_Usage | null);
  'position'?: (number);
  'build'?: (_rackwright_v1_BuildDetail | null);
  'deletion'?: (_rackwright_v1_DeletionDetail | null);
  'keyring'?: (_rackwright_v1_KeyringDetail | null);
  'image'?: (_rackwright_v1_ImageDetail | null);
  'environment'?: (_rackwright_v1_EnvironmentDetail | null);
  'purge'?: (_rackwright_v1_PurgeDetail | null);
  'registry'?: (_rackwright_v1_RegistryDetail | null);
  'detail'?: "build"|"deletion"|"keyring"|"image"|"environment"|"purge"|"registry";
}

export interface Task__Output {
  'id': (string);
  'instance': (string);
  'name': (string);
  'state': (_rackwright_v1_TaskState__Output);
  'result': (_rackwright_v1_TaskResult__Output);
  'user': (string);
  'submission': (number);
  'started': (number);
  'ended': (number);
  'attempts': (number);
  'priority': (number);
  'place': (string);
  'io': (_rackwright_v1_TaskIo__Output | null);
  'reason': (string);
  'cause': (string);
  'progress': (_rackwright_v1_Progress__Output | null);
  'retryOf': (string);
  'usage': (_rackwright_v1_Usage__Output | null);
  'position': (number);
  'build'?: (_rackwright_v1_BuildDetail__Output | null);
  'deletion'?: (_rackwright_v1_DeletionDetail__Output | null);
  'keyring'?: (_rackwright_v1_KeyringDetail__Output | null);
  'image'?: (_rackwright_v1_ImageDetail__Output | null);
  'environment'?: (_rackwright_v1_EnvironmentDetail__Output | null);
  'purge'?: (_rackwright_v1_PurgeDetail__Output | null);
  'registry'?: (_rackwright_v1_RegistryDetail__Output | null);
  'detail'?: "build"|"deletion"|"keyring"|"image"|"environment"|"purge"|"registry";
}
