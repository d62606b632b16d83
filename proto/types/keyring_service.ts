import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { CreateKeyringRequest as _rackwright_v1_CreateKeyringRequest, CreateKeyringRequest__Output as _rackwright_v1_CreateKeyringRequest__Output } from './rackwright/v1/CreateKeyringRequest.ts';
import type { CreateKeyringResponse as _rackwright_v1_CreateKeyringResponse, CreateKeyringResponse__Output as _rackwright_v1_CreateKeyringResponse__Output } from './rackwright/v1/CreateKeyringResponse.ts';
import type { ExportKeyringRequest as _rackwright_v1_ExportKeyringRequest, ExportKeyringRequest__Output as _rackwright_v1_ExportKeyringRequest__Output } from './rackwright/v1/ExportKeyringRequest.ts';
import type { ExportKeyringResponse as _rackwright_v1_ExportKeyringResponse, ExportKeyringResponse__Output as _rackwright_v1_ExportKeyringResponse__Output } from './rackwright/v1/ExportKeyringResponse.ts';
import type { GetKeyringRequest as _rackwright_v1_GetKeyringRequest, GetKeyringRequest__Output as _rackwright_v1_GetKeyringRequest__Output } from './rackwright/v1/GetKeyringRequest.ts';
import type { GetKeyringResponse as _rackwright_v1_GetKeyringResponse, GetKeyringResponse__Output as _rackwright_v1_GetKeyringResponse__Output } from './rackwright/v1/GetKeyringResponse.ts';
import type { Key as _rackwright_v1_Key, Key__Output as _rackwright_v1_Key__Output } from './rackwright/v1/Key.ts';
import type { Keyring as _rackwright_v1_Keyring, Keyring__Output as _rackwright_v1_Keyring__Output } from './rackwright/v1/Keyring.ts';
import type { KeyringServiceClient as _rackwright_v1_KeyringServiceClient, KeyringServiceDefinition as _rackwright_v1_KeyringServiceDefinition } from './rackwright/v1/KeyringService.ts';
import type { RenewKeyringRequest as _rackwright_v1_RenewKeyringRequest, RenewKeyringRequest__Output as _rackwright_v1_RenewKeyringRequest__Output } from './rackwright/v1/RenewKeyringRequest.ts';
import type { RenewKeyringResponse as _rackwright_v1_RenewKeyringResponse, RenewKeyringResponse__Output as _rackwright_v1_RenewKeyringResponse__Output } from './rackwright/v1/RenewKeyringResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      CreateKeyringRequest: MessageTypeDefinition<_rackwright_v1_CreateKeyringRequest, _rackwright_v1_CreateKeyringRequest__Output>
      CreateKeyringResponse: MessageTypeDefinition<_rackwright_v1_CreateKeyringResponse, _rackwright_v1_CreateKeyringResponse__Output>
      ExportKeyringRequest: MessageTypeDefinition<_rackwright_v1_ExportKeyringRequest, _rackwright_v1_ExportKeyringRequest__Output>
      ExportKeyringResponse: MessageTypeDefinition<_rackwright_v1_ExportKeyringResponse, _rackwright_v1_ExportKeyringResponse__Output>
      GetKeyringRequest: MessageTypeDefinition<_rackwright_v1_GetKeyringRequest, _rackwright_v1_GetKeyringRequest__Output>
      GetKeyringResponse: MessageTypeDefinition<_rackwright_v1_GetKeyringResponse, _rackwright_v1_GetKeyringResponse__Output>
      Key: MessageTypeDefinition<_rackwright_v1_Key, _rackwright_v1_Key__Output>
      Keyring: MessageTypeDefinition<_rackwright_v1_Keyring, _rackwright_v1_Keyring__Output>
      KeyringService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_KeyringServiceClient> & { service: _rackwright_v1_KeyringServiceDefinition }
      RenewKeyringRequest: MessageTypeDefinition<_rackwright_v1_RenewKeyringRequest, _rackwright_v1_RenewKeyringRequest__Output>
      RenewKeyringResponse: MessageTypeDefinition<_rackwright_v1_RenewKeyringResponse, _rackwright_v1_RenewKeyringResponse__Output>
    }
  }
}

