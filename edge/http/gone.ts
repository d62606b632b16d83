/** Tells when nobody waits for an answer any longer. */
import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the answer is out, or has closed already: `close` is not told again then. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const close = (): void => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.closed) close();
  else raw.once('close', close);
  return gone.signal;
}
