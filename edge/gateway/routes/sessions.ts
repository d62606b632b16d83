/** Routes of one's own sessions: who one is, which sessions there are, ending them; and the sign-in counters. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../../../proto/fault.ts';
import type { Verified } from '../../auth/token.ts';
import { Refusal } from '../../http/problem.ts';
import type { Counters } from '../counters.ts';
import type { Sessions } from '../sessions.ts';

export interface SessionRouteParts {
  readonly sessions: Sessions;
  readonly counters: Counters;
  readonly authenticate: (request: FastifyRequest) => Promise<Verified>;
}

export function addSessionRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  const { sessions, counters, authenticate } = parts;
  app.get('/api/whoami', async (request, reply) => {
    const { login, groups, issued, expires } = await authenticate(request);
    return reply.header('cache-control', 'no-store').send({ login, groups, issued, expires });
  });

  app.get('/api/sessions', async (request, reply) => {
    const user = await authenticate(request);
    const list = await sessions.list(user.login);
    return reply.header('cache-control', 'no-store').send(
      list.map(({ jti, issued, expires, method, agent }) => ({
        id: jti,
        issued,
        expires,
        method,
        agent,
        current: jti === user.jti,
      })),
    );
  });

  app.delete('/api/sessions/:id', async (request, reply) => {
    const user = await authenticate(request);
    const { id } = request.params as { id: string };
    // Only one's own: the record is looked up under the caller's login.
    const record = await sessions.find(user.login, id);
    if (!record) throw new Fault('not_found', 'not-found', `You have no session ${id.slice(0, 64)}`);
    await sessions.revoke(record);
    return reply.header('cache-control', 'no-store').send({ result: 'Session ended' });
  });

  app.post('/api/logout', async (request, reply) => {
    await sessions.revoke(await authenticate(request));
    return reply.header('cache-control', 'no-store').send({ result: 'Signed out' });
  });

  app.get('/api/metrics', async (request, reply) => {
    const { remoteAddress = '' } = request.raw.socket;
    // A proxy's requests come from this host too, but carry who asked.
    const forwarded = request.headers['x-forwarded-for'] ?? request.headers.forwarded;
    if (!/^(127\.|::1$|::ffff:127\.|$)/.test(remoteAddress) || forwarded !== undefined) {
      throw new Refusal(403, 'metrics of the gateway are for this host only');
    }
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(counters.toText());
  });
}
