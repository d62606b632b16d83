/** The update notices of a dnf registry: `PUT` replaces them with the body, `DELETE` takes them away. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { UploadUpdateInfoRequest } from '../../proto/types/rackwright/v1/UploadUpdateInfoRequest.ts';
import { hasBody, limitedBody } from '../http/body.ts';
import { Refusal, speakProblem } from '../http/problem.ts';
import { ErrorBody, SubmittedTask } from './schemas.ts';
import { type BuildDeps, changeOf, onBehalf, permit, sendJson } from './scope.ts';

/** Bytes of the file. */
const MAX_BODY = 256 * 1024 * 1024;
/** Milliseconds for all of it. */
const TIMEOUT = 3_600_000;

/** Routes below an instance. */
export function updateinfoRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    // The body is passed on as it comes, whatever it says it is.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    const url = '/registry/:format/:distribution/:derivative/updateinfo';
    const options = {
      onRequest: permit(deps, 'edit-registry'),
      validatorCompiler: () => () => true,
      config: { speak: speakProblem, upload: () => MAX_BODY },
    };
    const response = { 200: SubmittedTask, 403: ErrorBody, 404: ErrorBody };
    const body = Type.String({ format: 'binary', description: 'updateinfo.xml, plain or packed; 256 MiB' });
    const put = { summary: 'Replaces the update notices of a dnf registry', body, response };
    app.put(url, { ...options, schema: put }, async (request, reply) => {
      if (!hasBody(request.raw)) throw new Refusal(400, 'the body is missing');
      return sendJson(reply, { task: await send(deps, request, reply, true) });
    });
    const remove = { summary: 'Takes the update notices of a dnf registry away', response };
    app.delete(url, { ...options, schema: remove }, async (request, reply) =>
      sendJson(reply, { task: await send(deps, request, reply, false) }),
    );
  };
}

async function send(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  withBody: boolean,
): Promise<string> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Refusal(400, 'the body must not be encoded; a packed file is taken as it is');
  let broken: unknown = null;
  async function* parts(): AsyncGenerator<UploadUpdateInfoRequest> {
    yield { request: changeOf(deps, request) };
    if (!withBody) return;
    try {
      for await (const chunk of limitedBody(request.raw, reply.raw, MAX_BODY)) yield { chunk };
    } catch (error) {
      broken = error;
      throw error;
    }
  }
  try {
    const options = { ...onBehalf(request), timeout: TIMEOUT };
    return (await deps.control.registries.uploadUpdateInfo(parts(), options)).task;
  } catch (error) {
    // A body that could not be read whole is why the call was given up.
    throw broken ?? error;
  }
}
