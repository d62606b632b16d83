/** Care of a registry: checks, repair, retention, collection. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { LAST, NEWER, readRetention } from '../../proto/retention.ts';
import { present } from '../control/control.ts';
import type { Json } from '../http/json.ts';
import { speakProblem } from '../http/problem.ts';
import { artifactJson } from './registry.ts';
import { ErrorBody, RetentionPlan, SubmittedTask } from './schemas.ts';
import { type BuildDeps, changeOf, onBehalf, permit, placeOf, queryOf, sendJson } from './scope.ts';

const PLACE = '/registry/:format/:distribution/:derivative';
const REFUSED = { 403: ErrorBody, 404: ErrorBody };
const config = { speak: speakProblem };

/** Each verb with the daemon's method and what the document says of it. */
const VERBS = {
  verify: ['verifyRegistry', 'Checks every file, index and signature of a registry'],
  repair: ['repairRegistry', 'Makes indexes and the addresses of snapshots anew from the catalogue'],
  retain: ['retainArtifacts', "Takes out what the derivative's retention does not keep"],
  collect: ['collectRegistry', 'Removes old states and files that nothing needs any longer'],
} as const;

/** Routes below an instance. */
export function careRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    verbRoutes(deps, app);
    planRoute(deps, app);
  };
}

function verbRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'edit-registry');
  for (const [verb, [method, summary]] of Object.entries(VERBS)) {
    app.post(
      `${PLACE}/${verb}`,
      { onRequest, config, schema: { summary, response: { 200: SubmittedTask, ...REFUSED } } },
      async (request, reply) => {
        const { task } = await deps.control.registries[method](changeOf(deps, request), onBehalf(request));
        return sendJson(reply, { task });
      },
    );
  }
}

function planRoute(deps: BuildDeps, app: FastifyInstance): void {
  app.get(
    `${PLACE}/retention.json`,
    {
      onRequest: permit(deps, 'view-registry'),
      config,
      schema: {
        summary: "What the derivative's retention, or the rule in the query, would take out now",
        querystring: Type.Object({
          last: Type.Optional(Type.String({ pattern: LAST })),
          newer: Type.Optional(Type.String({ pattern: NEWER })),
        }),
        response: { 200: RetentionPlan, ...REFUSED },
      },
    },
    async (request, reply) => sendJson(reply, await plan(deps, request)),
  );
}

async function plan(deps: BuildDeps, request: FastifyRequest): Promise<Json> {
  const [last, newer] = [queryOf(request, 'last'), queryOf(request, 'newer')];
  const rule = last === undefined && newer === undefined ? null : readRetention({ last, newer });
  const call = { place: placeOf(deps, request), rule };
  const outdated: Json[] = [];
  let applied: Json = null;
  for await (const part of deps.control.registries.planRetention(call, onBehalf(request))) {
    if (part.rule) applied = { last: part.rule.last, newer: part.rule.newer };
    for (const one of part.outdated) {
      outdated.push({
        ...artifactJson(present(one.artifact, 'artifact')),
        published: Math.floor(one.published),
        newer_versions: one.newerVersions,
        snapshots: one.snapshots,
      });
    }
  }
  return { rule: applied, outdated };
}
