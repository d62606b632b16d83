import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { DrawRequest as _rackwright_v1_DrawRequest, DrawRequest__Output as _rackwright_v1_DrawRequest__Output } from './rackwright/v1/DrawRequest.ts';
import type { DrawResponse as _rackwright_v1_DrawResponse, DrawResponse__Output as _rackwright_v1_DrawResponse__Output } from './rackwright/v1/DrawResponse.ts';
import type { Drawing as _rackwright_v1_Drawing, Drawing__Output as _rackwright_v1_Drawing__Output } from './rackwright/v1/Drawing.ts';
import type { DrawingServiceClient as _rackwright_v1_DrawingServiceClient, DrawingServiceDefinition as _rackwright_v1_DrawingServiceDefinition } from './rackwright/v1/DrawingService.ts';
import type { DrawingSetting as _rackwright_v1_DrawingSetting, DrawingSetting__Output as _rackwright_v1_DrawingSetting__Output } from './rackwright/v1/DrawingSetting.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      DrawRequest: MessageTypeDefinition<_rackwright_v1_DrawRequest, _rackwright_v1_DrawRequest__Output>
      DrawResponse: MessageTypeDefinition<_rackwright_v1_DrawResponse, _rackwright_v1_DrawResponse__Output>
      Drawing: MessageTypeDefinition<_rackwright_v1_Drawing, _rackwright_v1_Drawing__Output>
      DrawingService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_DrawingServiceClient> & { service: _rackwright_v1_DrawingServiceDefinition }
      DrawingSetting: MessageTypeDefinition<_rackwright_v1_DrawingSetting, _rackwright_v1_DrawingSetting__Output>
    }
  }
}

