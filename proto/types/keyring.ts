import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Key as _rackwright_v1_Key, Key__Output as _rackwright_v1_Key__Output } from './rackwright/v1/Key.ts';
import type { Keyring as _rackwright_v1_Keyring, Keyring__Output as _rackwright_v1_Keyring__Output } from './rackwright/v1/Keyring.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      Key: MessageTypeDefinition<_rackwright_v1_Key, _rackwright_v1_Key__Output>
      Keyring: MessageTypeDefinition<_rackwright_v1_Keyring, _rackwright_v1_Keyring__Output>
    }
  }
}

