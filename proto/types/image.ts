import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Environment as _rackwright_v1_Environment, Environment__Output as _rackwright_v1_Environment__Output } from './rackwright/v1/Environment.ts';
import type { Image as _rackwright_v1_Image, Image__Output as _rackwright_v1_Image__Output } from './rackwright/v1/Image.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      Environment: MessageTypeDefinition<_rackwright_v1_Environment, _rackwright_v1_Environment__Output>
      Image: MessageTypeDefinition<_rackwright_v1_Image, _rackwright_v1_Image__Output>
    }
  }
}

