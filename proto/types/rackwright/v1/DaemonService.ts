// Original file: rackwright/v1/daemon_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetDaemonStatusRequest as _rackwright_v1_GetDaemonStatusRequest, GetDaemonStatusRequest__Output as _rackwright_v1_GetDaemonStatusRequest__Output } from '../../rackwright/v1/GetDaemonStatusRequest.ts';
import type { GetDaemonStatusResponse as _rackwright_v1_GetDaemonStatusResponse, GetDaemonStatusResponse__Output as _rackwright_v1_GetDaemonStatusResponse__Output } from '../../rackwright/v1/GetDaemonStatusResponse.ts';
import type { HoldForBackupRequest as _rackwright_v1_HoldForBackupRequest, HoldForBackupRequest__Output as _rackwright_v1_HoldForBackupRequest__Output } from '../../rackwright/v1/HoldForBackupRequest.ts';
import type { HoldForBackupResponse as _rackwright_v1_HoldForBackupResponse, HoldForBackupResponse__Output as _rackwright_v1_HoldForBackupResponse__Output } from '../../rackwright/v1/HoldForBackupResponse.ts';
import type { ReloadSettingsRequest as _rackwright_v1_ReloadSettingsRequest, ReloadSettingsRequest__Output as _rackwright_v1_ReloadSettingsRequest__Output } from '../../rackwright/v1/ReloadSettingsRequest.ts';
import type { ReloadSettingsResponse as _rackwright_v1_ReloadSettingsResponse, ReloadSettingsResponse__Output as _rackwright_v1_ReloadSettingsResponse__Output } from '../../rackwright/v1/ReloadSettingsResponse.ts';

export interface DaemonServiceClient extends grpc.Client {
  GetDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  GetDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  GetDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  GetDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  getDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  getDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  getDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  getDaemonStatus(argument: _rackwright_v1_GetDaemonStatusRequest, callback: grpc.requestCallback<_rackwright_v1_GetDaemonStatusResponse__Output>): grpc.ClientUnaryCall;
  
  HoldForBackup(argument: _rackwright_v1_HoldForBackupRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_HoldForBackupResponse__Output>;
  HoldForBackup(argument: _rackwright_v1_HoldForBackupRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_HoldForBackupResponse__Output>;
  holdForBackup(argument: _rackwright_v1_HoldForBackupRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_HoldForBackupResponse__Output>;
  holdForBackup(argument: _rackwright_v1_HoldForBackupRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_HoldForBackupResponse__Output>;
  
  ReloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  ReloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  ReloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  ReloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  reloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  reloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  reloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  reloadSettings(argument: _rackwright_v1_ReloadSettingsRequest, callback: grpc.requestCallback<_rackwright_v1_ReloadSettingsResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface DaemonServiceHandlers extends grpc.UntypedServiceImplementation {
  GetDaemonStatus: grpc.handleUnaryCall<_rackwright_v1_GetDaemonStatusRequest__Output, _rackwright_v1_GetDaemonStatusResponse>;
  
  HoldForBackup: grpc.handleServerStreamingCall<_rackwright_v1_HoldForBackupRequest__Output, _rackwright_v1_HoldForBackupResponse>;
  
  ReloadSettings: grpc.handleUnaryCall<_rackwright_v1_ReloadSettingsRequest__Output, _rackwright_v1_ReloadSettingsResponse>;
  
}

export interface DaemonServiceDefinition extends grpc.ServiceDefinition {
  GetDaemonStatus: MethodDefinition<_rackwright_v1_GetDaemonStatusRequest, _rackwright_v1_GetDaemonStatusResponse, _rackwright_v1_GetDaemonStatusRequest__Output, _rackwright_v1_GetDaemonStatusResponse__Output>
  HoldForBackup: MethodDefinition<_rackwright_v1_HoldForBackupRequest, _rackwright_v1_HoldForBackupResponse, _rackwright_v1_HoldForBackupRequest__Output, _rackwright_v1_HoldForBackupResponse__Output>
  ReloadSettings: MethodDefinition<_rackwright_v1_ReloadSettingsRequest, _rackwright_v1_ReloadSettingsResponse, _rackwright_v1_ReloadSettingsRequest__Output, _rackwright_v1_ReloadSettingsResponse__Output>
}
