/** Tokens of an instance over gRPC, and who a caller is. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { Token } from '../../proto/types/rackwright/v1/Token.ts';
import { callerOf } from './caller.ts';

/** Issued tokens. */
export interface TokenBook {
  issue(instance: string, subject: string, days: number): Promise<{ token: string; issued: Token }>;
  list(instance: string): Token[];
  /** Throws `not_found`. */
  revoke(instance: string, jti: string): void;
}

export function tokenService(tokens: TokenBook): Handlers<'TokenService'> {
  return {
    issueToken: async ({ instance, subject, days }, call) => {
      const caller = callerOf(call);
      // Who may issue for others could act as anybody: the policy's word for that is manage-token.
      return tokens.issue(instance, subject === '' ? named(caller.login) : subject, days);
    },
    listTokens: async ({ instance }) => ({ tokens: tokens.list(instance) }),
    revokeToken: async ({ instance, jti }) => {
      tokens.revoke(instance, jti);
      return {};
    },
    whoAmI: async (_request, call) => {
      const { login, roles, actions } = callerOf(call);
      return { login, roles: [...roles], actions: [...actions] };
    },
  };
}

function named(login: string): string {
  if (login !== 'anonymous') return login;
  throw new Fault('invalid', 'bad-input', 'a token needs a login');
}
