/** Tokens of an instance, and who the caller is. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import type { Token__Output } from '../../proto/types/rackwright/v1/Token.ts';
import { INSTANCE_NAME, MAX_TOKEN_DAYS } from '../../proto/words.ts';
import { present } from '../control/control.ts';
import type { Json } from '../http/json.ts';
import { Refusal, speakProblem } from '../http/problem.ts';
import { ErrorBody } from './schemas.ts';
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

const REFUSED = { 403: ErrorBody, 404: ErrorBody };

/** Routes below an instance. */
export function tokenRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    const config = { speak: speakProblem };
    app.get(
      '/tokens.json',
      {
        onRequest: permit(deps, 'manage-token'),
        config,
        schema: { summary: 'Tokens issued and not yet expired', response: REFUSED },
      },
      async (request, reply) => {
        const { tokens } = await deps.control.tokens.listTokens(
          { instance: instanceOf(deps, request) },
          onBehalf(request),
        );
        return sendJson(reply, tokens.map(tokenJson));
      },
    );
    changeRoutes(deps, app);
    app.get(
      '/whoami.json',
      { config, schema: { summary: 'Who the caller is and what they may do', response: REFUSED } },
      async (request, reply) => {
        const instance = instanceOf(deps, request);
        if (!INSTANCE_NAME.test(instance)) throw new Refusal(404, 'there is no such instance');
        const caller = await deps.control.who(instance, onBehalf(request).authorization);
        return sendJson(reply, {
          login: caller.login,
          roles: caller.roles,
          actions: [...caller.actions].sort(),
        });
      },
    );
  };
}

function changeRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'manage-token');
  const config = { speak: speakProblem };
  app.post(
    '/tokens',
    {
      onRequest,
      config,
      preValidation: mergeOptions,
      schema: {
        summary: 'Issues a token',
        body: Type.Object({
          subject: Type.Optional(
            Type.String({ maxLength: 256, description: 'Login; the caller unless told' }),
          ),
          days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TOKEN_DAYS })),
        }),
        response: REFUSED,
      },
    },
    async (request, reply) => {
      const call = {
        instance: instanceOf(deps, request),
        subject: optionOf<string>(request, 'subject') ?? '',
        days: optionOf<number>(request, 'days') ?? 0,
      };
      const { token, issued } = await deps.control.tokens.issueToken(call, onBehalf(request));
      reply.header('cache-control', 'no-store');
      return sendJson(reply, { token, issued: tokenJson(present(issued, 'token')) });
    },
  );
  app.delete(
    '/tokens/:jti',
    { onRequest, config, schema: { summary: 'Revokes a token', response: REFUSED } },
    async (request, reply) => {
      const jti = parameter(request, 'jti').toLowerCase();
      await deps.control.tokens.revokeToken({ instance: instanceOf(deps, request), jti }, onBehalf(request));
      return sendJson(reply, { revoked: jti });
    },
  );
}

function tokenJson({ jti, subject, issued, expires, revoked }: Token__Output): Json {
  return { jti, subject, issued, expires, revoked };
}
