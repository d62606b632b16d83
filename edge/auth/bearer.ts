/** Takes the bearer token out of a request's raw headers (RFC 6750 section 2.1). */
import { Fault } from '../../proto/fault.ts';

/**
 * The token of the one `Authorization` header, null without such a header. `rawHeaders` are Node's alternating names
 * and values, since only they show a header sent twice. Throws `unauthenticated` on anything else.
 */
export function readBearer(rawHeaders: readonly string[]): string | null {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') values.push(rawHeaders[index + 1] ?? '');
  }
  if (values.length === 0) return null;
  if (values.length > 1) throw refuse('Unable to decode token: more than one Authorization header');
  const match = /^bearer +(\S+)$/i.exec(values[0] ?? '');
  if (!match?.[1]) throw refuse('Unable to decode token: the Authorization header is not "Bearer TOKEN"');
  return match[1];
}

function refuse(message: string): Fault {
  return new Fault('unauthenticated', 'token-invalid', message);
}
