import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from './rackwright/v1/Artifact.ts';
import type { ArtifactDescription as _rackwright_v1_ArtifactDescription, ArtifactDescription__Output as _rackwright_v1_ArtifactDescription__Output } from './rackwright/v1/ArtifactDescription.ts';
import type { ArtifactFile as _rackwright_v1_ArtifactFile, ArtifactFile__Output as _rackwright_v1_ArtifactFile__Output } from './rackwright/v1/ArtifactFile.ts';
import type { ArtifactMatch as _rackwright_v1_ArtifactMatch, ArtifactMatch__Output as _rackwright_v1_ArtifactMatch__Output } from './rackwright/v1/ArtifactMatch.ts';
import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from './rackwright/v1/ArtifactPlace.ts';
import type { ChangelogEntry as _rackwright_v1_ChangelogEntry, ChangelogEntry__Output as _rackwright_v1_ChangelogEntry__Output } from './rackwright/v1/ChangelogEntry.ts';
import type { DeleteArtifactRequest as _rackwright_v1_DeleteArtifactRequest, DeleteArtifactRequest__Output as _rackwright_v1_DeleteArtifactRequest__Output } from './rackwright/v1/DeleteArtifactRequest.ts';
import type { DeleteArtifactResponse as _rackwright_v1_DeleteArtifactResponse, DeleteArtifactResponse__Output as _rackwright_v1_DeleteArtifactResponse__Output } from './rackwright/v1/DeleteArtifactResponse.ts';
import type { DescribeArtifactRequest as _rackwright_v1_DescribeArtifactRequest, DescribeArtifactRequest__Output as _rackwright_v1_DescribeArtifactRequest__Output } from './rackwright/v1/DescribeArtifactRequest.ts';
import type { DescribeArtifactResponse as _rackwright_v1_DescribeArtifactResponse, DescribeArtifactResponse__Output as _rackwright_v1_DescribeArtifactResponse__Output } from './rackwright/v1/DescribeArtifactResponse.ts';
import type { ListArtifactsRequest as _rackwright_v1_ListArtifactsRequest, ListArtifactsRequest__Output as _rackwright_v1_ListArtifactsRequest__Output } from './rackwright/v1/ListArtifactsRequest.ts';
import type { ListArtifactsResponse as _rackwright_v1_ListArtifactsResponse, ListArtifactsResponse__Output as _rackwright_v1_ListArtifactsResponse__Output } from './rackwright/v1/ListArtifactsResponse.ts';
import type { ListDerivativesRequest as _rackwright_v1_ListDerivativesRequest, ListDerivativesRequest__Output as _rackwright_v1_ListDerivativesRequest__Output } from './rackwright/v1/ListDerivativesRequest.ts';
import type { ListDerivativesResponse as _rackwright_v1_ListDerivativesResponse, ListDerivativesResponse__Output as _rackwright_v1_ListDerivativesResponse__Output } from './rackwright/v1/ListDerivativesResponse.ts';
import type { ListDistributionsRequest as _rackwright_v1_ListDistributionsRequest, ListDistributionsRequest__Output as _rackwright_v1_ListDistributionsRequest__Output } from './rackwright/v1/ListDistributionsRequest.ts';
import type { ListDistributionsResponse as _rackwright_v1_ListDistributionsResponse, ListDistributionsResponse__Output as _rackwright_v1_ListDistributionsResponse__Output } from './rackwright/v1/ListDistributionsResponse.ts';
import type { ListFormatsRequest as _rackwright_v1_ListFormatsRequest, ListFormatsRequest__Output as _rackwright_v1_ListFormatsRequest__Output } from './rackwright/v1/ListFormatsRequest.ts';
import type { ListFormatsResponse as _rackwright_v1_ListFormatsResponse, ListFormatsResponse__Output as _rackwright_v1_ListFormatsResponse__Output } from './rackwright/v1/ListFormatsResponse.ts';
import type { RegistryServiceClient as _rackwright_v1_RegistryServiceClient, RegistryServiceDefinition as _rackwright_v1_RegistryServiceDefinition } from './rackwright/v1/RegistryService.ts';
import type { SearchArtifactsRequest as _rackwright_v1_SearchArtifactsRequest, SearchArtifactsRequest__Output as _rackwright_v1_SearchArtifactsRequest__Output } from './rackwright/v1/SearchArtifactsRequest.ts';
import type { SearchArtifactsResponse as _rackwright_v1_SearchArtifactsResponse, SearchArtifactsResponse__Output as _rackwright_v1_SearchArtifactsResponse__Output } from './rackwright/v1/SearchArtifactsResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  rackwright: {
    v1: {
      Artifact: MessageTypeDefinition<_rackwright_v1_Artifact, _rackwright_v1_Artifact__Output>
      ArtifactDescription: MessageTypeDefinition<_rackwright_v1_ArtifactDescription, _rackwright_v1_ArtifactDescription__Output>
      ArtifactFile: MessageTypeDefinition<_rackwright_v1_ArtifactFile, _rackwright_v1_ArtifactFile__Output>
      ArtifactMatch: MessageTypeDefinition<_rackwright_v1_ArtifactMatch, _rackwright_v1_ArtifactMatch__Output>
      ArtifactPlace: MessageTypeDefinition<_rackwright_v1_ArtifactPlace, _rackwright_v1_ArtifactPlace__Output>
      ChangelogEntry: MessageTypeDefinition<_rackwright_v1_ChangelogEntry, _rackwright_v1_ChangelogEntry__Output>
      DeleteArtifactRequest: MessageTypeDefinition<_rackwright_v1_DeleteArtifactRequest, _rackwright_v1_DeleteArtifactRequest__Output>
      DeleteArtifactResponse: MessageTypeDefinition<_rackwright_v1_DeleteArtifactResponse, _rackwright_v1_DeleteArtifactResponse__Output>
      DescribeArtifactRequest: MessageTypeDefinition<_rackwright_v1_DescribeArtifactRequest, _rackwright_v1_DescribeArtifactRequest__Output>
      DescribeArtifactResponse: MessageTypeDefinition<_rackwright_v1_DescribeArtifactResponse, _rackwright_v1_DescribeArtifactResponse__Output>
      ListArtifactsRequest: MessageTypeDefinition<_rackwright_v1_ListArtifactsRequest, _rackwright_v1_ListArtifactsRequest__Output>
      ListArtifactsResponse: MessageTypeDefinition<_rackwright_v1_ListArtifactsResponse, _rackwright_v1_ListArtifactsResponse__Output>
      ListDerivativesRequest: MessageTypeDefinition<_rackwright_v1_ListDerivativesRequest, _rackwright_v1_ListDerivativesRequest__Output>
      ListDerivativesResponse: MessageTypeDefinition<_rackwright_v1_ListDerivativesResponse, _rackwright_v1_ListDerivativesResponse__Output>
      ListDistributionsRequest: MessageTypeDefinition<_rackwright_v1_ListDistributionsRequest, _rackwright_v1_ListDistributionsRequest__Output>
      ListDistributionsResponse: MessageTypeDefinition<_rackwright_v1_ListDistributionsResponse, _rackwright_v1_ListDistributionsResponse__Output>
      ListFormatsRequest: MessageTypeDefinition<_rackwright_v1_ListFormatsRequest, _rackwright_v1_ListFormatsRequest__Output>
      ListFormatsResponse: MessageTypeDefinition<_rackwright_v1_ListFormatsResponse, _rackwright_v1_ListFormatsResponse__Output>
      RegistryService: SubtypeConstructor<typeof grpc.Client, _rackwright_v1_RegistryServiceClient> & { service: _rackwright_v1_RegistryServiceDefinition }
      SearchArtifactsRequest: MessageTypeDefinition<_rackwright_v1_SearchArtifactsRequest, _rackwright_v1_SearchArtifactsRequest__Output>
      SearchArtifactsResponse: MessageTypeDefinition<_rackwright_v1_SearchArtifactsResponse, _rackwright_v1_SearchArtifactsResponse__Output>
    }
  }
}

