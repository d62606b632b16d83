// Original file: rackwright/v1/artifact.proto

import type { Artifact as _rackwright_v1_Artifact, Artifact__Output as _rackwright_v1_Artifact__Output } from '../../rackwright/v1/Artifact.ts';
import type { ChangelogEntry as _rackwright_v1_ChangelogEntry, ChangelogEntry__Output as _rackwright_v1_ChangelogEntry__Output } from '../../rackwright/v1/ChangelogEntry.ts';
import type { ArtifactFile as _rackwright_v1_ArtifactFile, ArtifactFile__Output as _rackwright_v1_ArtifactFile__Output } from '../../rackwright/v1/ArtifactFile.ts';

export interface ArtifactDescription {
  'artifact'?: (_rackwright_v1_Artifact | null);
  'source'?: (_rackwright_v1_Artifact | null);
  'binaries'?: (_rackwright_v1_Artifact)[];
  'changelog'?: (_rackwright_v1_ChangelogEntry)[];
  'content'?: (_rackwright_v1_ArtifactFile)[];
}

export interface ArtifactDescription__Output {
  'artifact': (_rackwright_v1_Artifact__Output | null);
  'source': (_rackwright_v1_Artifact__Output | null);
  'binaries': (_rackwright_v1_Artifact__Output)[];
  'changelog': (_rackwright_v1_ChangelogEntry__Output)[];
  'content': (_rackwright_v1_ArtifactFile__Output)[];
}
