/** The version, the instances and their pipelines. */
import type { FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import type { Pipeline__Output } from '../../proto/types/rackwright/v1/Pipeline.ts';
import { VERSION_LINE } from '../config.ts';
import { present } from '../control/control.ts';
import { Refusal } from '../http/problem.ts';
import { ErrorBody, Instance, PipelineFormat, Strings } from './schemas.ts';
import { type BuildDeps, instanceOf, onBehalf, permit, queryOf, sendJson, soleInstance } from './scope.ts';

/** Routes without an instance in their path. */
export function rootRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    app.get(
      '/version',
      { schema: { summary: 'Version of the server', response: { 200: Type.String() } } },
      (_request, reply) => reply.type('text/plain; charset=utf-8').send(VERSION_LINE),
    );
    if (soleInstance(deps.settings) !== null) return;
    app.get(
      '/instances.json',
      { schema: { summary: 'Instances, sorted by id', response: { 200: Type.Array(Instance) } } },
      async (request, reply) => {
        const { instances } = await deps.control.instances.listInstances({}, onBehalf(request));
        return sendJson(
          reply,
          instances.map(({ id, name, userid }) => ({ id, name, userid })),
        );
      },
    );
  };
}

/** Routes below an instance. */
export function instanceRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    app.get(
      '/instance.json',
      {
        onRequest: permit(deps, 'view-registry'),
        schema: { summary: 'The instance', response: { 200: Instance, 403: ErrorBody, 404: ErrorBody } },
      },
      async (request, reply) => {
        const answer = await deps.control.instances.getInstance(
          { instance: instanceOf(deps, request) },
          onBehalf(request),
        );
        const { id, name, userid } = present(answer.instance, 'instance');
        return sendJson(reply, { id, name, userid });
      },
    );
    app.get(
      '/pipelines/architectures.json',
      {
        onRequest: permit(deps, 'view-pipeline'),
        schema: {
          summary: "CPU architectures, the host's first",
          response: { 200: Strings, 403: ErrorBody, 404: ErrorBody },
        },
      },
      async (request, reply) => {
        const call = { instance: instanceOf(deps, request) };
        const { architectures } = await deps.control.instances.listArchitectures(call, onBehalf(request));
        return sendJson(reply, architectures);
      },
    );
    formatsRoute(deps)(app);
  };
}

const Filters = Type.Object({
  format: Type.Optional(Type.String()),
  distribution: Type.Optional(Type.String()),
  derivative: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
});

function formatsRoute(deps: BuildDeps): (app: Parameters<FastifyPluginAsync>[0]) => void {
  return app => {
    app.get(
      '/pipelines/formats.json',
      {
        onRequest: permit(deps, 'view-pipeline'),
        schema: {
          summary: 'Pipelines by format; the filters combine with AND',
          querystring: Filters,
          response: { 200: PipelineFormat, 403: ErrorBody, 404: ErrorBody },
        },
      },
      async (request, reply) => {
        const instance = instanceOf(deps, request);
        const derivative = queryOf(request, 'derivative') ?? '';
        // An empty filter would select everything at the daemon; nothing has an empty name.
        for (const name of ['format', 'distribution', 'environment']) {
          if (queryOf(request, name) === '') return sendJson(reply, {});
        }
        const { pipelines } = await deps.control.instances.listPipelines(
          {
            instance,
            derivative: '',
            format: queryOf(request, 'format') ?? '',
            distribution: queryOf(request, 'distribution') ?? '',
            environment: queryOf(request, 'environment') ?? '',
          },
          onBehalf(request),
        );
        if (queryOf(request, 'derivative') === undefined) return sendJson(reply, formats(pipelines));
        const all = await deps.control.instances.listPipelines({ instance }, onBehalf(request));
        if (!all.pipelines.some(pipeline => pipeline.derivatives.includes(derivative))) {
          throw new Refusal(404, `there is no derivative ${derivative}`);
        }
        return sendJson(
          reply,
          formats(pipelines.filter(pipeline => pipeline.derivatives.includes(derivative))),
        );
      },
    );
  };
}

interface FormatItem {
  readonly [key: string]: string | null | string[];
}

function formats(pipelines: readonly Pipeline__Output[]): Record<string, FormatItem[]> {
  const byFormat: Record<string, FormatItem[]> = {};
  for (const { format, distribution, environment, derivatives } of pipelines) {
    byFormat[format] = [
      ...(byFormat[format] ?? []),
      { distribution, environment: environment === '' ? null : environment, derivatives },
    ];
  }
  return byFormat;
}
