// Original file: rackwright/v1/token_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { IssueTokenRequest as _rackwright_v1_IssueTokenRequest, IssueTokenRequest__Output as _rackwright_v1_IssueTokenRequest__Output } from '../../rackwright/v1/IssueTokenRequest.ts';
import type { IssueTokenResponse as _rackwright_v1_IssueTokenResponse, IssueTokenResponse__Output as _rackwright_v1_IssueTokenResponse__Output } from '../../rackwright/v1/IssueTokenResponse.ts';
import type { ListTokensRequest as _rackwright_v1_ListTokensRequest, ListTokensRequest__Output as _rackwright_v1_ListTokensRequest__Output } from '../../rackwright/v1/ListTokensRequest.ts';
import type { ListTokensResponse as _rackwright_v1_ListTokensResponse, ListTokensResponse__Output as _rackwright_v1_ListTokensResponse__Output } from '../../rackwright/v1/ListTokensResponse.ts';
import type { RevokeTokenRequest as _rackwright_v1_RevokeTokenRequest, RevokeTokenRequest__Output as _rackwright_v1_RevokeTokenRequest__Output } from '../../rackwright/v1/RevokeTokenRequest.ts';
import type { RevokeTokenResponse as _rackwright_v1_RevokeTokenResponse, RevokeTokenResponse__Output as _rackwright_v1_RevokeTokenResponse__Output } from '../../rackwright/v1/RevokeTokenResponse.ts';
import type { WhoAmIRequest as _rackwright_v1_WhoAmIRequest, WhoAmIRequest__Output as _rackwright_v1_WhoAmIRequest__Output } from '../../rackwright/v1/WhoAmIRequest.ts';
import type { WhoAmIResponse as _rackwright_v1_WhoAmIResponse, WhoAmIResponse__Output as _rackwright_v1_WhoAmIResponse__Output } from '../../rackwright/v1/WhoAmIResponse.ts';

export interface TokenServiceClient extends grpc.Client {
  IssueToken(argument: _rackwright_v1_IssueTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  IssueToken(argument: _rackwright_v1_IssueTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  IssueToken(argument: _rackwright_v1_IssueTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  IssueToken(argument: _rackwright_v1_IssueTokenRequest, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  issueToken(argument: _rackwright_v1_IssueTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  issueToken(argument: _rackwright_v1_IssueTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  issueToken(argument: _rackwright_v1_IssueTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  issueToken(argument: _rackwright_v1_IssueTokenRequest, callback: grpc.requestCallback<_rackwright_v1_IssueTokenResponse__Output>): grpc.ClientUnaryCall;
  
  ListTokens(argument: _rackwright_v1_ListTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  ListTokens(argument: _rackwright_v1_ListTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  ListTokens(argument: _rackwright_v1_ListTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  ListTokens(argument: _rackwright_v1_ListTokensRequest, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _rackwright_v1_ListTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _rackwright_v1_ListTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _rackwright_v1_ListTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _rackwright_v1_ListTokensRequest, callback: grpc.requestCallback<_rackwright_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  
  RevokeToken(argument: _rackwright_v1_RevokeTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _rackwright_v1_RevokeTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _rackwright_v1_RevokeTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _rackwright_v1_RevokeTokenRequest, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _rackwright_v1_RevokeTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _rackwright_v1_RevokeTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _rackwright_v1_RevokeTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _rackwright_v1_RevokeTokenRequest, callback: grpc.requestCallback<_rackwright_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  
  WhoAmI(argument: _rackwright_v1_WhoAmIRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  WhoAmI(argument: _rackwright_v1_WhoAmIRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  WhoAmI(argument: _rackwright_v1_WhoAmIRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  WhoAmI(argument: _rackwright_v1_WhoAmIRequest, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  whoAmI(argument: _rackwright_v1_WhoAmIRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  whoAmI(argument: _rackwright_v1_WhoAmIRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  whoAmI(argument: _rackwright_v1_WhoAmIRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  whoAmI(argument: _rackwright_v1_WhoAmIRequest, callback: grpc.requestCallback<_rackwright_v1_WhoAmIResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface TokenServiceHandlers extends grpc.UntypedServiceImplementation {
  IssueToken: grpc.handleUnaryCall<_rackwright_v1_IssueTokenRequest__Output, _rackwright_v1_IssueTokenResponse>;
  
  ListTokens: grpc.handleUnaryCall<_rackwright_v1_ListTokensRequest__Output, _rackwright_v1_ListTokensResponse>;
  
  RevokeToken: grpc.handleUnaryCall<_rackwright_v1_RevokeTokenRequest__Output, _rackwright_v1_RevokeTokenResponse>;
  
  WhoAmI: grpc.handleUnaryCall<_rackwright_v1_WhoAmIRequest__Output, _rackwright_v1_WhoAmIResponse>;
  
}

export interface TokenServiceDefinition extends grpc.ServiceDefinition {
  IssueToken: MethodDefinition<_rackwright_v1_IssueTokenRequest, _rackwright_v1_IssueTokenResponse, _rackwright_v1_IssueTokenRequest__Output, _rackwright_v1_IssueTokenResponse__Output>
  ListTokens: MethodDefinition<_rackwright_v1_ListTokensRequest, _rackwright_v1_ListTokensResponse, _rackwright_v1_ListTokensRequest__Output, _rackwright_v1_ListTokensResponse__Output>
  RevokeToken: MethodDefinition<_rackwright_v1_RevokeTokenRequest, _rackwright_v1_RevokeTokenResponse, _rackwright_v1_RevokeTokenRequest__Output, _rackwright_v1_RevokeTokenResponse__Output>
  WhoAmI: MethodDefinition<_rackwright_v1_WhoAmIRequest, _rackwright_v1_WhoAmIResponse, _rackwright_v1_WhoAmIRequest__Output, _rackwright_v1_WhoAmIResponse__Output>
}
