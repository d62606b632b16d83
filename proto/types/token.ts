import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Token as _rackwright_v1_Token, Token__Output as _rackwright_v1_Token__Output } from './rackwright/v1/Token.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      Token: MessageTypeDefinition<_rackwright_v1_Token, _rackwright_v1_Token__Output>
    }
  }
}

