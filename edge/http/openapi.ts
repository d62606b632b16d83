/** The OpenAPI 3.1 document of a server, made of the schemas of its routes. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../proto/words.ts';
import { canonical, JSON_TYPE, type Json } from './json.ts';

/** Serves `/openapi.json`. Must be called before the routes that it describes are added. */
export async function addOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Rackwright',
        version: VERSION,
        description: "Builds, registries and drawings of a site's machines.",
      },
      components: {
        securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
      // A token is optional: the policy says what anonymous callers may do.
      security: [{}, { token: [] }],
    },
    hideUntagged: false,
  });
  let document: Buffer | null = null;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= Buffer.from(canonical(JSON.parse(JSON.stringify(app.swagger())) as Json), 'latin1');
    return reply.header('content-type', JSON_TYPE).header('cache-control', 'no-cache').send(document);
  });
}
