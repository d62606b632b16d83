import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AttachRequest as _rackwright_v1_AttachRequest, AttachRequest__Output as _rackwright_v1_AttachRequest__Output } from './rackwright/v1/AttachRequest.ts';
import type { AttachResponse as _rackwright_v1_AttachResponse, AttachResponse__Output as _rackwright_v1_AttachResponse__Output } from './rackwright/v1/AttachResponse.ts';
import type { ConsoleServiceClient as _rackwright_v1_ConsoleServiceClient, ConsoleServiceDefinition as _rackwright_v1_ConsoleServiceDefinition } from './rackwright/v1/ConsoleService.ts';
import type { FollowRequest as _rackwright_v1_FollowRequest, FollowRequest__Output as _rackwright_v1_FollowRequest__Output } from './rackwright/v1/FollowRequest.ts';
import type { FollowResponse as _rackwright_v1_FollowResponse, FollowResponse__Output as _rackwright_v1_FollowResponse__Output } from './rackwright/v1/FollowResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      AttachRequest: MessageTypeDefinition<_rackwright_v1_AttachRequest, _rackwright_v1_AttachRequest__Output>
      AttachResponse: MessageTypeDefinition<_rackwright_v1_AttachResponse, _rackwright_v1_AttachResponse__Output>
      ConsoleService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_ConsoleServiceClient> & { service: _rackwright_v1_ConsoleServiceDefinition }
      FollowRequest: MessageTypeDefinition<_rackwright_v1_FollowRequest, _rackwright_v1_FollowRequest__Output>
      FollowResponse: MessageTypeDefinition<_rackwright_v1_FollowResponse, _rackwright_v1_FollowResponse__Output>
    }
  }
}

