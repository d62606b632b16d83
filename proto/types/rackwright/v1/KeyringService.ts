// Original file: rackwright/v1/keyring_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateKeyringRequest as _rackwright_v1_CreateKeyringRequest, CreateKeyringRequest__Output as _rackwright_v1_CreateKeyringRequest__Output } from '../../rackwright/v1/CreateKeyringRequest.ts';
import type { CreateKeyringResponse as _rackwright_v1_CreateKeyringResponse, CreateKeyringResponse__Output as _rackwright_v1_CreateKeyringResponse__Output } from '../../rackwright/v1/CreateKeyringResponse.ts';
import type { ExportKeyringRequest as _rackwright_v1_ExportKeyringRequest, ExportKeyringRequest__Output as _rackwright_v1_ExportKeyringRequest__Output } from '../../rackwright/v1/ExportKeyringRequest.ts';
import type { ExportKeyringResponse as _rackwright_v1_ExportKeyringResponse, ExportKeyringResponse__Output as _rackwright_v1_ExportKeyringResponse__Output } from '../../rackwright/v1/ExportKeyringResponse.ts';
import type { GetKeyringRequest as _rackwright_v1_GetKeyringRequest, GetKeyringRequest__Output as _rackwright_v1_GetKeyringRequest__Output } from '../../rackwright/v1/GetKeyringRequest.ts';
import type { GetKeyringResponse as _rackwright_v1_GetKeyringResponse, GetKeyringResponse__Output as _rackwright_v1_GetKeyringResponse__Output } from '../../rackwright/v1/GetKeyringResponse.ts';
import type { RenewKeyringRequest as _rackwright_v1_RenewKeyringRequest, RenewKeyringRequest__Output as _rackwright_v1_RenewKeyringRequest__Output } from '../../rackwright/v1/RenewKeyringRequest.ts';
import type { RenewKeyringResponse as _rackwright_v1_RenewKeyringResponse, RenewKeyringResponse__Output as _rackwright_v1_RenewKeyringResponse__Output } from '../../rackwright/v1/RenewKeyringResponse.ts';

export interface KeyringServiceClient extends grpc.Client {
  CreateKeyring(argument: _rackwright_v1_CreateKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  CreateKeyring(argument: _rackwright_v1_CreateKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  CreateKeyring(argument: _rackwright_v1_CreateKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  CreateKeyring(argument: _rackwright_v1_CreateKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  createKeyring(argument: _rackwright_v1_CreateKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  createKeyring(argument: _rackwright_v1_CreateKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  createKeyring(argument: _rackwright_v1_CreateKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  createKeyring(argument: _rackwright_v1_CreateKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_CreateKeyringResponse__Output>): grpc.ClientUnaryCall;
  
  ExportKeyring(argument: _rackwright_v1_ExportKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  ExportKeyring(argument: _rackwright_v1_ExportKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  ExportKeyring(argument: _rackwright_v1_ExportKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  ExportKeyring(argument: _rackwright_v1_ExportKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  exportKeyring(argument: _rackwright_v1_ExportKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  exportKeyring(argument: _rackwright_v1_ExportKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  exportKeyring(argument: _rackwright_v1_ExportKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  exportKeyring(argument: _rackwright_v1_ExportKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_ExportKeyringResponse__Output>): grpc.ClientUnaryCall;
  
  GetKeyring(argument: _rackwright_v1_GetKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  GetKeyring(argument: _rackwright_v1_GetKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  GetKeyring(argument: _rackwright_v1_GetKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  GetKeyring(argument: _rackwright_v1_GetKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  getKeyring(argument: _rackwright_v1_GetKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  getKeyring(argument: _rackwright_v1_GetKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  getKeyring(argument: _rackwright_v1_GetKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  getKeyring(argument: _rackwright_v1_GetKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_GetKeyringResponse__Output>): grpc.ClientUnaryCall;
  
  RenewKeyring(argument: _rackwright_v1_RenewKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  RenewKeyring(argument: _rackwright_v1_RenewKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  RenewKeyring(argument: _rackwright_v1_RenewKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  RenewKeyring(argument: _rackwright_v1_RenewKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  renewKeyring(argument: _rackwright_v1_RenewKeyringRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  renewKeyring(argument: _rackwright_v1_RenewKeyringRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  renewKeyring(argument: _rackwright_v1_RenewKeyringRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  renewKeyring(argument: _rackwright_v1_RenewKeyringRequest, callback: grpc.requestCallback<_rackwright_v1_RenewKeyringResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface KeyringServiceHandlers extends grpc.UntypedServiceImplementation {
  CreateKeyring: grpc.handleUnaryCall<_rackwright_v1_CreateKeyringRequest__Output, _rackwright_v1_CreateKeyringResponse>;
  
  ExportKeyring: grpc.handleUnaryCall<_rackwright_v1_ExportKeyringRequest__Output, _rackwright_v1_ExportKeyringResponse>;
  
  GetKeyring: grpc.handleUnaryCall<_rackwright_v1_GetKeyringRequest__Output, _rackwright_v1_GetKeyringResponse>;
  
  RenewKeyring: grpc.handleUnaryCall<_rackwright_v1_RenewKeyringRequest__Output, _rackwright_v1_RenewKeyringResponse>;
  
}

export interface KeyringServiceDefinition extends grpc.ServiceDefinition {
  CreateKeyring: MethodDefinition<_rackwright_v1_CreateKeyringRequest, _rackwright_v1_CreateKeyringResponse, _rackwright_v1_CreateKeyringRequest__Output, _rackwright_v1_CreateKeyringResponse__Output>
  ExportKeyring: MethodDefinition<_rackwright_v1_ExportKeyringRequest, _rackwright_v1_ExportKeyringResponse, _rackwright_v1_ExportKeyringRequest__Output, _rackwright_v1_ExportKeyringResponse__Output>
  GetKeyring: MethodDefinition<_rackwright_v1_GetKeyringRequest, _rackwright_v1_GetKeyringResponse, _rackwright_v1_GetKeyringRequest__Output, _rackwright_v1_GetKeyringResponse__Output>
  RenewKeyring: MethodDefinition<_rackwright_v1_RenewKeyringRequest, _rackwright_v1_RenewKeyringResponse, _rackwright_v1_RenewKeyringRequest__Output, _rackwright_v1_RenewKeyringResponse__Output>
}
