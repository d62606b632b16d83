import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Instance as _rackwright_v1_Instance, Instance__Output as _rackwright_v1_Instance__Output } from './rackwright/v1/Instance.ts';
import type { Pipeline as _rackwright_v1_Pipeline, Pipeline__Output as _rackwright_v1_Pipeline__Output } from './rackwright/v1/Pipeline.ts';
import type { TaskLimits as _rackwright_v1_TaskLimits, TaskLimits__Output as _rackwright_v1_TaskLimits__Output } from './rackwright/v1/TaskLimits.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      Instance: MessageTypeDefinition<_rackwright_v1_Instance, _rackwright_v1_Instance__Output>
      Pipeline: MessageTypeDefinition<_rackwright_v1_Pipeline, _rackwright_v1_Pipeline__Output>
      TaskLimits: MessageTypeDefinition<_rackwright_v1_TaskLimits, _rackwright_v1_TaskLimits__Output>
    }
  }
}

