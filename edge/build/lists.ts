/** Long lists, sent as they come from the daemon. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { canonicalList, JSON_TYPE, type Json } from '../http/json.ts';

/** Sends a list page by page. What fails before the second page is answered as a fault. */
export function sendList(reply: FastifyReply, list: AsyncIterable<readonly Json[]>): Promise<FastifyReply> {
  return sendParts(reply, canonicalList(list));
}

/** Sends JSON in parts. What fails before the second part is answered as a fault. */
export async function sendParts(reply: FastifyReply, parts: AsyncGenerator<string>): Promise<FastifyReply> {
  const first = await parts.next();
  reply.header('content-type', JSON_TYPE).header('cache-control', 'no-cache');
  reply.header('x-content-type-options', 'nosniff');
  async function* rest(): AsyncGenerator<string> {
    if (!first.done) yield first.value;
    yield* parts;
  }
  return reply.send(Readable.from(rest(), { objectMode: false }));
}
