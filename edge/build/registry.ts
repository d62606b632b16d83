/** The registry: what is published where, one artifact whole, search, and the removal of one artifact. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Artifact__Output } from '../../proto/types/rackwright/v1/Artifact.ts';
import type { ArtifactDescription__Output } from '../../proto/types/rackwright/v1/ArtifactDescription.ts';
import { present } from '../control/control.ts';
import type { Json } from '../http/json.ts';
import { describeArtifact } from './artifacts.ts';
import { sendList } from './lists.ts';
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
      const contains = queryOf(request, 'artifact') ?? '';
      return sendJson(reply, await search(deps, request, contains));
    },
  );
}

type Found = Record<string, Record<string, Record<string, Json[]>>>;

/** Search hits as nested maps; branches without a hit are not there. */
async function search(deps: BuildDeps, request: FastifyRequest, contains: string): Promise<Found> {
  const found: Found = {};
  const call = { instance: instanceOf(deps, request), contains };
  for await (const { matches } of deps.control.registries.searchArtifacts(call, onBehalf(request))) {
    for (const match of matches) {
      const { format, distribution, derivative } = present(match.place, 'place');
      const derivatives = branch(branch(found, format, {}), distribution, {});
      branch<Json[]>(derivatives, derivative, []).push(artifactJson(present(match.artifact, 'artifact')));
    }
  }
  return found;
}

/** The value under a key, put there if it is new. */
function branch<T>(map: Record<string, T>, key: string, fresh: T): T {
  const known = Object.hasOwn(map, key) ? map[key] : undefined;
  if (known !== undefined) return known;
  map[key] = fresh;
  return fresh;
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
