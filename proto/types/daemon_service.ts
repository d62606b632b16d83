import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { DaemonServiceClient as _rackwright_v1_DaemonServiceClient, DaemonServiceDefinition as _rackwright_v1_DaemonServiceDefinition } from './rackwright/v1/DaemonService.ts';
import type { EndedTasks as _rackwright_v1_EndedTasks, EndedTasks__Output as _rackwright_v1_EndedTasks__Output } from './rackwright/v1/EndedTasks.ts';
import type { GetDaemonStatusRequest as _rackwright_v1_GetDaemonStatusRequest, GetDaemonStatusRequest__Output as _rackwright_v1_GetDaemonStatusRequest__Output } from './rackwright/v1/GetDaemonStatusRequest.ts';
import type { GetDaemonStatusResponse as _rackwright_v1_GetDaemonStatusResponse, GetDaemonStatusResponse__Output as _rackwright_v1_GetDaemonStatusResponse__Output } from './rackwright/v1/GetDaemonStatusResponse.ts';
import type { HoldForBackupRequest as _rackwright_v1_HoldForBackupRequest, HoldForBackupRequest__Output as _rackwright_v1_HoldForBackupRequest__Output } from './rackwright/v1/HoldForBackupRequest.ts';
import type { HoldForBackupResponse as _rackwright_v1_HoldForBackupResponse, HoldForBackupResponse__Output as _rackwright_v1_HoldForBackupResponse__Output } from './rackwright/v1/HoldForBackupResponse.ts';
import type { ReloadSettingsRequest as _rackwright_v1_ReloadSettingsRequest, ReloadSettingsRequest__Output as _rackwright_v1_ReloadSettingsRequest__Output } from './rackwright/v1/ReloadSettingsRequest.ts';
import type { ReloadSettingsResponse as _rackwright_v1_ReloadSettingsResponse, ReloadSettingsResponse__Output as _rackwright_v1_ReloadSettingsResponse__Output } from './rackwright/v1/ReloadSettingsResponse.ts';
import type { SigningKey as _rackwright_v1_SigningKey, SigningKey__Output as _rackwright_v1_SigningKey__Output } from './rackwright/v1/SigningKey.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      DaemonService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_DaemonServiceClient> & { service: _rackwright_v1_DaemonServiceDefinition }
      EndedTasks: MessageTypeDefinition<_rackwright_v1_EndedTasks, _rackwright_v1_EndedTasks__Output>
      GetDaemonStatusRequest: MessageTypeDefinition<_rackwright_v1_GetDaemonStatusRequest, _rackwright_v1_GetDaemonStatusRequest__Output>
      GetDaemonStatusResponse: MessageTypeDefinition<_rackwright_v1_GetDaemonStatusResponse, _rackwright_v1_GetDaemonStatusResponse__Output>
      HoldForBackupRequest: MessageTypeDefinition<_rackwright_v1_HoldForBackupRequest, _rackwright_v1_HoldForBackupRequest__Output>
      HoldForBackupResponse: MessageTypeDefinition<_rackwright_v1_HoldForBackupResponse, _rackwright_v1_HoldForBackupResponse__Output>
      ReloadSettingsRequest: MessageTypeDefinition<_rackwright_v1_ReloadSettingsRequest, _rackwright_v1_ReloadSettingsRequest__Output>
      ReloadSettingsResponse: MessageTypeDefinition<_rackwright_v1_ReloadSettingsResponse, _rackwright_v1_ReloadSettingsResponse__Output>
      SigningKey: MessageTypeDefinition<_rackwright_v1_SigningKey, _rackwright_v1_SigningKey__Output>
    }
  }
}

