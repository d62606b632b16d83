/** Who calls: the credential of a request, taken as it came and judged by nobody here. */
import type { IncomingMessage } from 'node:http';
import { valuesOf } from './headers.ts';
import { Refusal } from './problem.ts';

/** `Bearer` and a token of RFC 6750's alphabet. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const BASIC = /^Basic +([A-Za-z0-9+/]+=*)$/i;

/**
 * The Authorization header to forward, undefined without one. A header that can't hold a token is refused with 403:
 * two of them, an empty one, another scheme.
 */
export function bearerOf(request: IncomingMessage): string | undefined {
  const value = singleAuthorization(request);
  if (value === undefined) return undefined;
  const token = BEARER.exec(value)?.[1];
  if (token === undefined) throw new Refusal(403, 'the Authorization header must be "Bearer TOKEN"');
  return `Bearer ${token}`;
}

/** The same where apt and dnf call, which can only send Basic: its password is the token, its user is ignored. */
export function bearerOrBasicOf(request: IncomingMessage): string | undefined {
  const value = singleAuthorization(request);
  const basic = value === undefined ? null : BASIC.exec(value);
  if (!basic) return bearerOf(request);
  const text = Buffer.from(basic[1] ?? '', 'base64').toString('utf8');
  const token = text.slice(text.indexOf(':') + 1);
  if (!text.includes(':') || !BEARER.test(`Bearer ${token}`)) {
    throw new Refusal(403, 'the password of Basic authentication must be a token');
  }
  return `Bearer ${token}`;
}

function singleAuthorization(request: IncomingMessage): string | undefined {
  const values = valuesOf(request, 'authorization');
  if (values.length > 1) throw new Refusal(403, 'there is more than one Authorization header');
  return values[0];
}

/** Refuses a change that a browser sends on behalf of another site's page. Other clients don't send the header. */
export function refuseCrossSite(request: IncomingMessage): void {
  if (request.headers['sec-fetch-site'] === 'cross-site') {
    throw new Refusal(403, 'another site may not do this');
  }
}
