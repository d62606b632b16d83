/** Who may ask the agent what: the caller's JWT and the policy. */
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../proto/fault.ts';
import type { Policy } from '../../proto/policy.ts';
import { readBearer } from '../auth/bearer.ts';
import type { Verified } from '../auth/token.ts';
import { type AgentAction, refusalText, subjectOf } from './policy.ts';

/** A caller whose token was checked. */
export interface Caller {
  readonly login: string;
  /** When the token ends, in seconds since the epoch. */
  readonly expires: number;
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
    const { login, groups, expires } = await verify(token);
    const subject = subjectOf(login, groups);
    const permits = (action: AgentAction): boolean => policy.permits(subject, action);
    return {
      login,
      expires,
      permits,
      require: action => {
        if (!permits(action)) throw new Fault('forbidden', 'no-permission', refusalText(login, action));
      },
      roles: policy.rolesOf(subject),
      actions: policy.actionsOf(subject),
    };
  };
}
