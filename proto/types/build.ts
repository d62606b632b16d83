import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { SourceUpload as _rackwright_v1_SourceUpload, SourceUpload__Output as _rackwright_v1_SourceUpload__Output } from './rackwright/v1/SourceUpload.ts';
import type { SpooledFile as _rackwright_v1_SpooledFile, SpooledFile__Output as _rackwright_v1_SpooledFile__Output } from './rackwright/v1/SpooledFile.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      SourceUpload: MessageTypeDefinition<_rackwright_v1_SourceUpload, _rackwright_v1_SourceUpload__Output>
      SpooledFile: MessageTypeDefinition<_rackwright_v1_SpooledFile, _rackwright_v1_SpooledFile__Output>
    }
  }
}

