/** Long lists, sent as they come from the daemon. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { canonicalList, JSON_TYPE, type Json } from '../http/json.ts';

/** Sends a list page by page. What fails before the second page is answered as a fault. */
export async function sendList(
  reply: FastifyReply,
  list: AsyncIterable<readonly Json[]>,
): Promise<FastifyReply> {
  const parts = canonicalList(list);
  const first = await parts.next();
  reply.header('content-type', JSON_TYPE).header('cache-control', 'no-cache');
  reply.header('x-content-type-options', 'nosniff');
  async function* rest(): AsyncGenerator<string> {
    if (!first.done) yield first.value;
    yield* parts;
  }
  return reply.send(Readable.from(rest(), { objectMode: false }));
}
