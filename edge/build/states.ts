/** States of a registry over time: what is kept, snapshots, comparison, promotion, going back, import. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { type TObject, Type } from 'typebox';
import { present } from '../control/control.ts';
import type { Json } from '../http/json.ts';
import { speakProblem } from '../http/problem.ts';
import { artifactJson } from './registry.ts';
import { Comparison, ErrorBody, Generation, SubmittedTask } from './schemas.ts';
import {
  type BuildDeps,
  changeOf,
  mergeOptions,
  namedOf,
  onBehalf,
  optionOf,
  permit,
  placeOf,
  queryOf,
  sendJson,
} from './scope.ts';

const PLACE = '/registry/:format/:distribution/:derivative';
const REFUSED = { 403: ErrorBody, 404: ErrorBody };
const config = { speak: speakProblem };
/** Most characters of a name or an address in a body. */
const Name = Type.String({ maxLength: 256 });

/** Routes below an instance. */
export function stateRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    readRoutes(deps, app);
    snapshotRoutes(deps, app);
    moveRoutes(deps, app);
  };
}

function readRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'view-registry');
  app.get(
    `${PLACE}/generations.json`,
    {
      onRequest,
      config,
      schema: {
        summary: 'Generations that are kept, with their snapshots',
        response: { 200: Type.Array(Generation), ...REFUSED },
      },
    },
    async (request, reply) => {
      const call = { place: placeOf(deps, request) };
      const { generations } = await deps.control.registries.listGenerations(call, onBehalf(request));
      return sendJson(
        reply,
        generations.map(({ name, created, superseded, task, snapshots }) => ({
          ...{ name, task, snapshots },
          created: Math.floor(created),
          superseded: superseded > 0 ? Math.floor(superseded) : null,
        })),
      );
    },
  );
  const between = Type.Object({ from: Type.Optional(Name), to: Type.Optional(Name) });
  app.get(
    `${PLACE}/compare.json`,
    {
      onRequest,
      config,
      schema: {
        summary: 'What differs between two generations or snapshots; the present state where none is named',
        querystring: between,
        response: { 200: Comparison, ...REFUSED },
      },
    },
    async (request, reply) => sendJson(reply, await compare(deps, request)),
  );
}

async function compare(deps: BuildDeps, request: FastifyRequest): Promise<Json> {
  const call = {
    place: placeOf(deps, request),
    from: queryOf(request, 'from') ?? '',
    to: queryOf(request, 'to') ?? '',
  };
  const added: Json[] = [];
  const removed: Json[] = [];
  for await (const { differences } of deps.control.registries.compareGenerations(call, onBehalf(request))) {
    for (const difference of differences) {
      const artifact = artifactJson(present(difference.artifact, 'artifact'));
      (difference.added ? added : removed).push({
        ...artifact,
        derivative: difference.place?.derivative ?? '',
      });
    }
  }
  return { added, removed };
}

function snapshotRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'edit-registry');
  const methods = { POST: 'createSnapshot', DELETE: 'deleteSnapshot' } as const;
  for (const [method, name] of Object.entries(methods)) {
    app.route({
      method,
      url: `${PLACE}/snapshots/:name`,
      onRequest,
      config,
      schema: {
        summary: method === 'POST' ? 'Names the present state, which is then kept' : 'Forgets a snapshot',
        response: { 200: SubmittedTask, ...REFUSED },
      },
      handler: async (request, reply) => {
        const call = { ...changeOf(deps, request), name: namedOf(request, 'name') };
        return sendJson(reply, { task: (await deps.control.registries[name](call, onBehalf(request))).task });
      },
    });
  }
}

function moveRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'edit-registry');
  const options = (summary: string, body: TObject) => ({
    onRequest,
    config,
    preValidation: mergeOptions,
    schema: { summary, body, response: { 200: SubmittedTask, ...REFUSED } },
  });
  const Promotion = Type.Object({
    from_instance: Type.Optional(Name),
    from_distribution: Type.Optional(Name),
    from_derivative: Type.Optional(Name),
    snapshot: Type.Optional(Name),
    artifact: Type.Optional(Name),
    version: Type.Optional(Name),
  });
  app.post(
    `${PLACE}/promote`,
    options(
      'Takes over what another derivative, distribution or instance has; its own place unless told',
      Promotion,
    ),
    async (request, reply) => {
      const { place, ...rest } = changeOf(deps, request);
      const from = {
        format: place.format,
        instance: text(request, 'from_instance') || place.instance,
        distribution: text(request, 'from_distribution') || place.distribution,
        derivative: text(request, 'from_derivative') || place.derivative,
      };
      const call = {
        ...{ ...rest, place, from },
        snapshot: text(request, 'snapshot'),
        artifact: text(request, 'artifact'),
        version: text(request, 'version'),
      };
      return sendJson(reply, { task: (await deps.control.registries.promote(call, onBehalf(request))).task });
    },
  );
  app.post(
    `${PLACE}/rollback`,
    options(
      'Goes back to a generation or a snapshot',
      Type.Object({ to: Type.String({ minLength: 1, maxLength: 256 }) }),
    ),
    async (request, reply) => {
      const call = { ...changeOf(deps, request), to: text(request, 'to') };
      return sendJson(reply, {
        task: (await deps.control.registries.rollBack(call, onBehalf(request))).task,
      });
    },
  );
  const Import = Type.Object({
    source: Type.String({ minLength: 1, maxLength: 4096 }),
    suite: Type.Optional(Name),
    components: Type.Optional(Type.String({ maxLength: 4096, description: 'Separated by commas' })),
    keys: Type.Optional(Type.String({ description: 'Armored keys to trust' })),
  });
  app.post(
    `${PLACE}/import`,
    options("Imports packages of a folder on the daemon's host or of a repository", Import),
    async (request, reply) => {
      const components = text(request, 'components')
        .split(',')
        .filter(name => name !== '');
      const call = {
        ...{ ...changeOf(deps, request), components },
        source: text(request, 'source'),
        suite: text(request, 'suite'),
        keys: text(request, 'keys'),
      };
      return sendJson(reply, {
        task: (await deps.control.registries.importArtifacts(call, onBehalf(request))).task,
      });
    },
  );
}

function text(request: FastifyRequest, name: string): string {
  return optionOf<string>(request, name) ?? '';
}
