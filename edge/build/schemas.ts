/** Shapes of the build service's answers, as its OpenAPI document states them. */
import { Type } from 'typebox';

export const Strings = Type.Array(Type.String());

export const ErrorBody = Type.Object(
  { error: Type.String() },
  { description: 'What is not permitted or not there' },
);

export const Instance = Type.Object({
  id: Type.String(),
  name: Type.String(),
  userid: Type.String({ description: "User id of the instance's signing key" }),
});

export const PipelineFormat = Type.Record(
  Type.String(),
  Type.Array(
    Type.Object({
      distribution: Type.String(),
      environment: Type.Union([Type.String(), Type.Null()]),
      derivatives: Strings,
    }),
  ),
);

export const Artifact = Type.Object({
  architecture: Type.String({ description: 'uname -m word, "noarch" or "src"; for osi the file extension' }),
  name: Type.String(),
  version: Type.String(),
  size: Type.Integer(),
});

export const ArtifactDescription = Type.Object({
  name: Type.String(),
  artifact: Type.String({ description: 'The same as name' }),
  source: Type.Optional(Artifact),
  binaries: Type.Optional(Type.Array(Artifact)),
  changelog: Type.Array(
    Type.Object({
      author: Type.String(),
      changes: Strings,
      date: Type.Integer({ description: 'Seconds since the epoch; 0 when unreadable' }),
      version: Type.String(),
    }),
  ),
  content: Type.Array(
    Type.Object({
      path: Type.String(),
      type: Type.String({ description: 'f, d, l, c, b, p or s' }),
      size: Type.Integer(),
    }),
  ),
});

export const SearchResult = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Artifact))),
  { description: 'Format, distribution, derivative' },
);

export const Generation = Type.Object({
  name: Type.String(),
  created: Type.Integer({ description: 'Seconds since the epoch' }),
  superseded: Type.Union([Type.Integer(), Type.Null()], { description: 'null for the present one' }),
  task: Type.String({ description: 'Task that published it' }),
  snapshots: Strings,
});

const PlacedArtifacts = Type.Array(Type.Interface([Artifact], { derivative: Type.String() }));

export const Comparison = Type.Object({ added: PlacedArtifacts, removed: PlacedArtifacts });

export const RetentionPlan = Type.Object({
  rule: Type.Object({
    last: Type.Integer({ description: 'Newest versions kept; 0 = all' }),
    newer: Type.Integer({ description: 'Seconds for which any version is kept; 0 = no such rule' }),
  }),
  outdated: Type.Array(
    Type.Interface([Artifact], {
      published: Type.Integer({ description: 'Seconds since the epoch' }),
      newer_versions: Type.Integer(),
      snapshots: Type.Array(Type.String(), { description: 'Snapshots that hold it: there it stays' }),
    }),
  ),
});

export const SubmittedTask = Type.Object({ task: Type.String({ format: 'uuid' }) });

export const Task = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    user: Type.String(),
    state: Type.String({ description: 'pending, running or finished' }),
    result: Type.String({ description: 'unknown, success, failed or cancelled' }),
    submission: Type.Integer({ description: 'Seconds since the epoch' }),
    place: Type.String(),
    io: Type.Object({
      console: Type.String(),
      interactive: Type.Boolean(),
      journal: Type.Object({ path: Type.String() }),
    }),
  },
  { additionalProperties: true, description: "With the keys of the task's type" },
);

const File = Type.String({ format: 'binary' });

export const BuildForm = Type.Object(
  {
    format: Type.String(),
    distribution: Type.String(),
    derivative: Type.String(),
    architectures: Type.String({ description: 'Separated by commas' }),
    artifact: Type.String(),
    message: Type.String({ description: 'For the changelog' }),
    user_name: Type.String(),
    user_email: Type.String(),
    tarball: Type.String({ format: 'binary', description: 'The definition as a tar archive' }),
  },
  {
    description: 'Source archives come as source/{id} with their file names',
    patternProperties: { '^source/': File },
  },
);
