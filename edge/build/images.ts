/** Images and build environments of an instance. */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFormat } from '../../proto/words.ts';
import { Refusal, speakProblem } from '../http/problem.ts';
import { ErrorBody, SubmittedTask } from './schemas.ts';
import {
  type BuildDeps,
  instanceOf,
  mergeOptions,
  onBehalf,
  optionOf,
  parameter,
  permit,
  sendJson,
} from './scope.ts';

const RESPONSE = { 200: SubmittedTask, 403: ErrorBody, 404: ErrorBody };

/** Routes below an instance. */
export function imageRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    listRoute(deps, app);
    imageChanges(deps, app);
    environmentChanges(deps, app);
  };
}

function listRoute(deps: BuildDeps, app: FastifyInstance): void {
  app.get(
    '/images.json',
    {
      onRequest: permit(deps, 'view-pipeline'),
      config: { speak: speakProblem },
      schema: {
        summary: 'Images and their build environments',
        response: { 403: ErrorBody, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { images } = await deps.control.images.listImages(
        { instance: instanceOf(deps, request) },
        onBehalf(request),
      );
      return sendJson(
        reply,
        images.map(({ format, exists, created, updated, environments }) => ({
          format,
          exists,
          created,
          updated,
          environments: environments.map(environment => ({
            name: environment.name,
            architecture: environment.architecture,
            exists: environment.exists,
            created: environment.created,
            updated: environment.updated,
            size: environment.size,
          })),
        })),
      );
    },
  );
}

function imageChanges(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'manage-image');
  const config = { speak: speakProblem };
  app.post(
    '/images/:format/create',
    {
      onRequest,
      config,
      preValidation: mergeOptions,
      schema: {
        summary: 'Makes the image of a format',
        body: Type.Object({ force: Type.Optional(Type.Boolean()) }),
        response: RESPONSE,
      },
    },
    async (request, reply) => {
      const call = { ...imageOf(deps, request), force: optionOf<boolean>(request, 'force') ?? false };
      return sendJson(reply, { task: (await deps.control.images.createImage(call, onBehalf(request))).task });
    },
  );
  app.post(
    '/images/:format/update',
    { onRequest, config, schema: { summary: 'Brings the image of a format up to date', response: RESPONSE } },
    async (request, reply) => {
      const { task } = await deps.control.images.updateImage(imageOf(deps, request), onBehalf(request));
      return sendJson(reply, { task });
    },
  );
}

function environmentChanges(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'manage-image');
  const config = { speak: speakProblem };
  const url = '/images/:format/environments/:environment/:architecture';
  const changes = { create: 'createEnvironment', update: 'updateEnvironment' } as const;
  for (const [verb, method] of Object.entries(changes)) {
    app.post(
      `${url}/${verb}`,
      { onRequest, config, schema: { summary: `A build environment: ${verb}`, response: RESPONSE } },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const call = {
          ...imageOf(deps, request),
          environment: parameter(request, 'environment'),
          architecture: parameter(request, 'architecture'),
        };
        return sendJson(reply, { task: (await deps.control.images[method](call, onBehalf(request))).task });
      },
    );
  }
}

function imageOf(deps: BuildDeps, request: FastifyRequest): { instance: string; format: string } {
  const format = parameter(request, 'format');
  if (!isFormat(format)) throw new Refusal(404, 'there is no such format');
  return { instance: instanceOf(deps, request), format };
}
