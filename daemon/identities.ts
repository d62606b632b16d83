/** Who callers are: tokens, certificates and the policy in force, joined for the doors. */
import type { DaemonSettings } from './config.ts';
import type { Identities } from './grpc/caller.ts';
import type { SettingsInForce } from './reload.ts';
import type { Definitions } from './store/definitions.ts';
import { HostGroups } from './store/host-groups.ts';
import { Policies } from './store/policies.ts';
import type { Tokens } from './store/tokens.ts';

export interface IdentitiesOptions {
  readonly settings: SettingsInForce;
  readonly tokens: Tokens;
  readonly definitions: Definitions;
  readonly clock: { monotonic(): number };
  readonly warn: (text: string) => void;
}

/** Throws SettingsError when the policy can't be used. */
export function openIdentities(
  options: IdentitiesOptions,
): Identities & { prepare(settings: DaemonSettings): () => void } {
  const { settings, tokens, definitions, clock, warn } = options;
  const policies = new Policies({
    files: policyFiles(settings.now),
    groups: new HostGroups(clock.monotonic),
    now: clock.monotonic,
    warn,
  });
  return {
    verify: (instance, token) =>
      instance === null
        ? tokens.verifyAny(
            definitions.all().map(({ id }) => id),
            token,
          )
        : tokens.verify(instance, token),
    allowed: (login, groups) => policies.allowed(login, groups),
    loginOf: certificate => settings.now.daemon.certificate_logins[certificate]?.[0] ?? null,
    isInstance: instance => definitions.find(instance) !== null,
    prepare: next => policies.prepare(policyFiles(next)),
  };
}

function policyFiles({ edge }: DaemonSettings): readonly string[] {
  const { policy, vendor_policy: vendor } = edge;
  return vendor === null ? [policy] : [policy, vendor];
}
