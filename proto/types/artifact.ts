import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from './rackwright/v1/Artifact.ts';
import type { ArtifactDescription as _rackwright_v1_ArtifactDescription, ArtifactDescription__Output as _rackwright_v1_ArtifactDescription__Output } from './rackwright/v1/ArtifactDescription.ts';
import type { ArtifactFile as _rackwright_v1_ArtifactFile, ArtifactFile__Output as _rackwright_v1_ArtifactFile__Output } from './rackwright/v1/ArtifactFile.ts';
import type { ArtifactMatch as _rackwright_v1_ArtifactMatch, ArtifactMatch__Output as _rackwright_v1_ArtifactMatch__Output } from './rackwright/v1/ArtifactMatch.ts';
import type { ArtifactPlace as _rackwright_v1_ArtifactPlace, ArtifactPlace__Output as _rackwright_v1_ArtifactPlace__Output } from './rackwright/v1/ArtifactPlace.ts';
import type { ChangelogEntry as _rackwright_v1_ChangelogEntry, ChangelogEntry__Output as _rackwright_v1_ChangelogEntry__Output } from './rackwright/v1/ChangelogEntry.ts';

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
    }
  }
}

