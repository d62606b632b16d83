import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Drawing as _rackwright_v1_Drawing, Drawing__Output as _rackwright_v1_Drawing__Output } from './rackwright/v1/Drawing.ts';
import type { DrawingSetting as _rackwright_v1_DrawingSetting, DrawingSetting__Output as _rackwright_v1_DrawingSetting__Output } from './rackwright/v1/DrawingSetting.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      Drawing: MessageTypeDefinition<_rackwright_v1_Drawing, _rackwright_v1_Drawing__Output>
      DrawingSetting: MessageTypeDefinition<_rackwright_v1_DrawingSetting, _rackwright_v1_DrawingSetting__Output>
    }
  }
}

