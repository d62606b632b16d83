/** Who may ask the agent what: the caller's JWT, the policy, and the network that may read metrics. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Fault } from '../../proto/fault.ts';
import type { Policy } from '../../proto/policy.ts';
import { readBearer } from '../auth/bearer.ts';
import type { Verified } from '../auth/token.ts';
import type { Networks } from '../gateway/fields.ts';
import { type AgentAction, refusalText, subjectOf } from './policy.ts';

/** A caller whose token was checked. */
export interface Caller {
  readonly login: string;
  permits(action: AgentAction): boolean;
  /** Throws `forbidden` with the documented words. */
  require(action: AgentAction): void;
  readonly roles: readonly string[];
  readonly actions: readonly string[];
}

export type Authenticate = (request: IncomingMessage) => Promise<Caller>;

export function makeAuthenticate(verify: (token: string) => Promise<Verified>, policy: Policy): Authenticate {
  return async request => {
    const token = readBearer(request.rawHeaders);
    if (token === null) {
      throw new Fault('unauthenticated', 'token-invalid', 'Not authenticated: the request has no token');
    }
    const { login, groups } = await verify(token);
    const subject = subjectOf(login, groups);
    const permits = (action: AgentAction): boolean => policy.permits(subject, action);
    return {
      login,
      permits,
      require: action => {
        if (!permits(action)) throw new Fault('forbidden', 'no-permission', refusalText(login, action));
      },
      roles: policy.rolesOf(subject),
      actions: policy.actionsOf(subject),
    };
  };
}

/**
 * Throws `forbidden` unless the peer may read metrics: the socket's peer or, from a trusted proxy, the rightmost address
 * of X-Forwarded-For that is no proxy of ours. A malformed header is refused.
 */
export function requireNetwork(request: IncomingMessage, restrict: Networks, trusted: Networks): void {
  // A Unix socket's peer has no address: it is of this host.
  const peer = request.socket.remoteAddress ?? '127.0.0.1';
  const header = request.headers['x-forwarded-for'];
  const words = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map(word => word.trim());
  const forwarded = trusted.has(peer) ? words.findLast(word => !trusted.has(word)) : undefined;
  const address = forwarded === undefined || header === undefined ? peer : forwarded;
  if (isIP(address) !== 0 && restrict.has(address)) return;
  const shown = address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, 64);
  throw new Fault('forbidden', 'no-permission', `IP address ${shown} not authorized to request metrics`);
}
