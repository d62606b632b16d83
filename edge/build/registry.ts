/** The registry: what is published where, one artifact whole, search, and the removal of one artifact. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import type { Artifact__Output } from '../../proto/types/rackwright/v1/Artifact.ts';
import type { ArtifactDescription__Output } from '../../proto/types/rackwright/v1/ArtifactDescription.ts';
import type { SearchArtifactsResponse__Output } from '../../proto/types/rackwright/v1/SearchArtifactsResponse.ts';
import { present } from '../control/control.ts';
import { canonicalTree, type Json, type Leaf } from '../http/json.ts';
import { describeArtifact } from './artifacts.ts';
import { sendList, sendParts } from './lists.ts';
import { Artifact, ArtifactDescription, ErrorBody, SearchResult, Strings, SubmittedTask } from './schemas.ts';
import {
  type BuildDeps,
  idempotencyKey,
  instanceOf,
  namedOf,
  onBehalf,
  permit,
  placeOf,
  queryOf,
  sendJson,
} from './scope.ts';

const REFUSED = { 403: ErrorBody, 404: ErrorBody };

/** Routes below an instance. */
export function registryRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    listRoutes(deps, app);
    artifactRoutes(deps, app);
    searchRoute(deps, app);
  };
}

function listRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'view-registry');
  const schema = (summary: string) => ({ summary, response: { 200: Strings, ...REFUSED } });
  app.get(
    '/registry.json',
    { onRequest, schema: schema('Formats with a publication') },
    async (request, reply) => {
      const { formats } = await deps.control.registries.listFormats(
        placeOf(deps, request),
        onBehalf(request),
      );
      return sendJson(reply, formats);
    },
  );
  app.get(
    '/registry/:format.json',
    { onRequest, schema: schema('Distributions of a format') },
    async (request, reply) => {
      const { distributions } = await deps.control.registries.listDistributions(
        placeOf(deps, request),
        onBehalf(request),
      );
      return sendJson(reply, distributions);
    },
  );
  app.get(
    '/registry/:format/:distribution.json',
    { onRequest, schema: schema('Derivatives of a distribution') },
    async (request, reply) => {
      const { derivatives } = await deps.control.registries.listDerivatives(
        placeOf(deps, request),
        onBehalf(request),
      );
      return sendJson(reply, derivatives);
    },
  );
  app.get(
    '/registry/:format/:distribution/:derivative.json',
    {
      onRequest,
      schema: {
        summary: 'Artifacts of a derivative, sorted by name, architecture and version',
        response: { 200: Type.Array(Artifact), ...REFUSED },
      },
    },
    (request, reply) => {
      const answers = deps.control.registries.listArtifacts(
        { place: placeOf(deps, request) },
        onBehalf(request),
      );
      return sendList(reply, pages(answers));
    },
  );
}

async function* pages(answers: AsyncIterable<{ artifacts: Artifact__Output[] }>): AsyncGenerator<Json[]> {
  for await (const { artifacts } of answers) yield artifacts.map(artifactJson);
}

const VERSION_REQUIRED = Type.Object({ version: Type.String({ minLength: 1 }) });
const VERSION = Type.Object({ version: Type.Optional(Type.String({ minLength: 1 })) });

function artifactRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const url = '/registry/:format/:distribution/:derivative/:architecture/:artifact.json';
  app.get(
    url,
    {
      onRequest: permit(deps, 'view-registry'),
      schema: {
        summary: 'One artifact: where it comes from, what it became, its changelog and its files',
        querystring: VERSION,
        response: { 200: ArtifactDescription, ...REFUSED },
      },
    },
    async (request, reply) => sendJson(reply, descriptionJson(await describeArtifact(deps, request))),
  );
  app.delete(
    url,
    {
      onRequest: permit(deps, 'edit-registry'),
      schema: {
        summary: 'Removes exactly this artifact',
        querystring: VERSION_REQUIRED,
        response: { 200: SubmittedTask, ...REFUSED },
      },
    },
    async (request, reply) => {
      const { task } = await deps.control.registries.deleteArtifact(
        {
          place: placeOf(deps, request),
          architecture: namedOf(request, 'architecture'),
          name: namedOf(request, 'artifact'),
          version: queryOf(request, 'version') ?? '',
          idempotencyKey: idempotencyKey(request),
        },
        onBehalf(request),
      );
      return sendJson(reply, { task });
    },
  );
}

function searchRoute(deps: BuildDeps, app: FastifyInstance): void {
  app.get(
    '/search.json',
    {
      onRequest: permit(deps, 'view-registry'),
      schema: {
        summary: 'Artifacts whose name contains a text, by format, distribution and derivative',
        querystring: Type.Object({ artifact: Type.String({ minLength: 1 }) }),
        response: { 200: SearchResult, ...REFUSED },
      },
    },
    async (request, reply) => {
      const call = { instance: instanceOf(deps, request), contains: queryOf(request, 'artifact') ?? '' };
      const pages = deps.control.registries.searchArtifacts(call, onBehalf(request));
      return sendParts(reply, canonicalTree(hits(pages)));
    },
  );
}

/** Search hits with where they belong; the daemon sorts them by that. */
async function* hits(pages: AsyncIterable<SearchArtifactsResponse__Output>): AsyncGenerator<Leaf[]> {
  for await (const { matches } of pages) {
    yield matches.map(match => {
      const { format, distribution, derivative } = present(match.place, 'place');
      return {
        path: [format, distribution, derivative],
        item: artifactJson(present(match.artifact, 'artifact')),
      };
    });
  }
}

function descriptionJson(described: ArtifactDescription__Output): Json {
  const { name, architecture } = present(described.artifact, 'artifact');
  const isSource = architecture === 'src';
  return {
    name,
    artifact: name,
    source: !isSource && described.source ? artifactJson(described.source) : undefined,
    binaries: isSource ? described.binaries.map(artifactJson) : undefined,
    changelog: described.changelog.map(({ author, changes, date, version }) => ({
      author,
      changes,
      date,
      version,
    })),
    content: described.content.map(({ path, type, size }) => ({ path, type, size })),
  };
}

/** An artifact as every answer shows it. */
export function artifactJson({ architecture, name, size, version }: Artifact__Output): {
  readonly [key: string]: string | number;
} {
  return { architecture, name, size, version };
}
