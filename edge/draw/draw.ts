/** Drawings and views of the inventory as an area of the edge, and as routes that other areas mount below their own paths. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { writeYaml } from '../../proto/document.ts';
import { Refusal } from '../http/problem.ts';
import { addCors } from './cors.ts';
import type { DrawDeps } from './deps.ts';
import { MAX_DOCUMENT } from './document.ts';
import { addDrawings } from './drawings.ts';
import { speakDrawing } from './speak.ts';
import { addViews, VIEWS } from './views.ts';

export type { DrawDeps } from './deps.ts';

/** The version that is described; others behave equally. */
const DRAWING_VERSION = 'v0.5.0';
const VERSIONS = /^v0\.[56]\.\d{1,6}$/;

/** Paths below a version that answer other methods with 405. */
const PATHS = [
  ...VIEWS.map(view => [`/${view}`, 'GET, HEAD, OPTIONS'] as const),
  ['/draw/:entity/:file', 'GET, HEAD, POST, OPTIONS'] as const,
];
const OTHER_METHODS = ['PUT', 'DELETE', 'PATCH', 'POST'] as const;

/** Routes without a version, for areas that check who asks and mount them below a path of their own. */
export function drawingRoutes(deps: DrawDeps, hidden = true): FastifyPluginAsync {
  return async app => {
    prepare(app, deps);
    addAll(app, deps, hidden);
  };
}

/** Routes below `/v0.5.0` and its like, and the description as YAML; another version is told which there are. */
export function drawingArea(deps: DrawDeps): FastifyPluginAsync {
  return async app => {
    await app.register(async at => {
      prepare(at, deps);
      at.get('/openapi.yaml', { schema: { hide: true } }, async (_request, reply) => {
        const text = writeYaml(JSON.parse(JSON.stringify(at.swagger())));
        return reply
          .header('content-type', 'application/x-yaml')
          .header('cache-control', 'no-cache')
          .send(Buffer.from(text));
      });
    });
    await app.register(drawingRoutes(deps, false), { prefix: `/${DRAWING_VERSION}` });
    // Instances can't be called so: their names never begin with v and a digit.
    await app.register(
      async at => {
        prepare(at, deps);
        at.addHook('onRequest', async request => {
          const { version } = request.params as { version: string };
          if (!VERSIONS.test(version))
            throw new Refusal(404, `There is no version ${version.slice(0, 40)}: use v0.5.0 or v0.6.0`);
        });
        addAll(at, deps, true);
      },
      { prefix: '/:version(^v\\d.*$)' },
    );
  };
}

/** Faults as JSON, bodies as bytes, and no validation but our own. */
function prepare(app: FastifyInstance, deps: DrawDeps): void {
  app.addHook('onRoute', route => {
    route.config = { ...route.config, speak: speakDrawing };
  });
  app.setValidatorCompiler(() => () => true);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_DOCUMENT }, (_request, body, done) =>
    done(null, body),
  );
  addCors(app, deps.cors);
}

function addAll(app: FastifyInstance, deps: DrawDeps, hidden: boolean): void {
  addDrawings(app, deps, hidden);
  addViews(app, deps, hidden);
  for (const [path, allow] of PATHS) {
    for (const method of OTHER_METHODS) {
      if (allow.includes(method)) continue;
      app.route({
        method,
        url: path,
        schema: { hide: true },
        handler: async request => {
          throw new Refusal(405, `${request.method} is not possible here, but ${allow}`, { allow });
        },
      });
    }
    app.options(path, { schema: { hide: true } }, async (_request, reply) =>
      reply.code(204).header('allow', allow).send(),
    );
  }
  app.all('/*', { schema: { hide: true } }, async request => {
    throw new Refusal(404, `Nothing is at ${request.url.split('?', 1)[0]?.slice(0, 200)}`);
  });
}
