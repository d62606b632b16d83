import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { IssueTokenRequest as _rackwright_v1_IssueTokenRequest, IssueTokenRequest__Output as _rackwright_v1_IssueTokenRequest__Output } from './rackwright/v1/IssueTokenRequest.ts';
import type { IssueTokenResponse as _rackwright_v1_IssueTokenResponse, IssueTokenResponse__Output as _rackwright_v1_IssueTokenResponse__Output } from './rackwright/v1/IssueTokenResponse.ts';
import type { ListTokensRequest as _rackwright_v1_ListTokensRequest, ListTokensRequest__Output as _rackwright_v1_ListTokensRequest__Output } from './rackwright/v1/ListTokensRequest.ts';
import type { ListTokensResponse as _rackwright_v1_ListTokensResponse, ListTokensResponse__Output as _rackwright_v1_ListTokensResponse__Output } from './rackwright/v1/ListTokensResponse.ts';
import type { RevokeTokenRequest as _rackwright_v1_RevokeTokenRequest, RevokeTokenRequest__Output as _rackwright_v1_RevokeTokenRequest__Output } from './rackwright/v1/RevokeTokenRequest.ts';
import type { RevokeTokenResponse as _rackwright_v1_RevokeTokenResponse, RevokeTokenResponse__Output as _rackwright_v1_RevokeTokenResponse__Output } from './rackwright/v1/RevokeTokenResponse.ts';
import type { Token as _rackwright_v1_Token, Token__Output as _rackwright_v1_Token__Output } from './rackwright/v1/Token.ts';
import type { TokenServiceClient as _rackwright_v1_TokenServiceClient, TokenServiceDefinition as _rackwright_v1_TokenServiceDefinition } from './rackwright/v1/TokenService.ts';
import type { WhoAmIRequest as _rackwright_v1_WhoAmIRequest, WhoAmIRequest__Output as _rackwright_v1_WhoAmIRequest__Output } from './rackwright/v1/WhoAmIRequest.ts';
import type { WhoAmIResponse as _rackwright_v1_WhoAmIResponse, WhoAmIResponse__Output as _rackwright_v1_WhoAmIResponse__Output } from './rackwright/v1/WhoAmIResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      IssueTokenRequest: MessageTypeDefinition<_rackwright_v1_IssueTokenRequest, _rackwright_v1_IssueTokenRequest__Output>
      IssueTokenResponse: MessageTypeDefinition<_rackwright_v1_IssueTokenResponse, _rackwright_v1_IssueTokenResponse__Output>
      ListTokensRequest: MessageTypeDefinition<_rackwright_v1_ListTokensRequest, _rackwright_v1_ListTokensRequest__Output>
      ListTokensResponse: MessageTypeDefinition<_rackwright_v1_ListTokensResponse, _rackwright_v1_ListTokensResponse__Output>
      RevokeTokenRequest: MessageTypeDefinition<_rackwright_v1_RevokeTokenRequest, _rackwright_v1_RevokeTokenRequest__Output>
      RevokeTokenResponse: MessageTypeDefinition<_rackwright_v1_RevokeTokenResponse, _rackwright_v1_RevokeTokenResponse__Output>
      Token: MessageTypeDefinition<_rackwright_v1_Token, _rackwright_v1_Token__Output>
      TokenService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_TokenServiceClient> & { service: _rackwright_v1_TokenServiceDefinition }
      WhoAmIRequest: MessageTypeDefinition<_rackwright_v1_WhoAmIRequest, _rackwright_v1_WhoAmIRequest__Output>
      WhoAmIResponse: MessageTypeDefinition<_rackwright_v1_WhoAmIResponse, _rackwright_v1_WhoAmIResponse__Output>
    }
  }
}

