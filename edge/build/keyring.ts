/** The signing keyring of an instance. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import type { Key__Output } from '../../proto/types/rackwright/v1/Key.ts';
import { present } from '../control/control.ts';
import type { Json } from '../http/json.ts';
import { speakProblem } from '../http/problem.ts';
import { ErrorBody, SubmittedTask } from './schemas.ts';
import { type BuildDeps, instanceOf, mergeOptions, onBehalf, optionOf, permit, sendJson } from './scope.ts';

const REFUSED = { 403: ErrorBody, 404: ErrorBody };

/** Routes below an instance. */
export function keyringRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    readRoutes(deps, app);
    changeRoutes(deps, app);
  };
}

function readRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'view-keyring');
  app.get(
    '/keyring.asc',
    {
      onRequest,
      schema: {
        summary: 'The armored public key',
        produces: ['text/plain'],
        response: { 200: Type.String(), ...REFUSED },
      },
    },
    async (request, reply) => {
      const call = { instance: instanceOf(deps, request) };
      const { armored } = await deps.control.keyrings.exportKeyring(call, onBehalf(request));
      return reply
        .type('text/plain; charset=utf-8')
        .header('content-disposition', 'attachment; filename=keyring.asc')
        .header('cache-control', 'no-cache')
        .send(armored);
    },
  );
  app.get(
    '/keyring.json',
    {
      onRequest,
      config: { speak: speakProblem },
      schema: { summary: 'What the keyring holds', response: REFUSED },
    },
    async (request, reply) => {
      const call = { instance: instanceOf(deps, request) };
      const answer = await deps.control.keyrings.getKeyring(call, onBehalf(request));
      const keyring = present(answer.keyring, 'keyring');
      return sendJson(reply, {
        userid: keyring.userid,
        updated: keyring.updated,
        master: keyring.master ? keyJson(keyring.master) : undefined,
        subkey: keyring.subkey ? keyJson(keyring.subkey) : undefined,
      });
    },
  );
}

function keyJson({ id, fingerprint, algorithm, expires, created }: Key__Output): Json {
  return { id, fingerprint, algorithm, expires, created };
}

function changeRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'edit-keyring');
  const config = { speak: speakProblem };
  app.post(
    '/keyring/create',
    {
      onRequest,
      config,
      schema: { summary: 'Makes the keyring', response: { 200: SubmittedTask, ...REFUSED } },
    },
    async (request, reply) => {
      const call = { instance: instanceOf(deps, request) };
      return sendJson(reply, {
        task: (await deps.control.keyrings.createKeyring(call, onBehalf(request))).task,
      });
    },
  );
  app.post(
    '/keyring/renew',
    {
      onRequest,
      config,
      preValidation: mergeOptions,
      schema: {
        summary: 'Sets a new expiry on both keys',
        body: Type.Object({
          duration: Type.String({ pattern: '^[0-9]{1,6}[dwmy]?$', description: 'Bare: days; 0: never' }),
        }),
        response: { 200: SubmittedTask, ...REFUSED },
      },
    },
    async (request, reply) => {
      const duration = optionOf<string>(request, 'duration') ?? '';
      const call = { instance: instanceOf(deps, request), duration };
      return sendJson(reply, {
        task: (await deps.control.keyrings.renewKeyring(call, onBehalf(request))).task,
      });
    },
  );
}
