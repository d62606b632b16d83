/** Who callers are: tokens, certificates and the policy in force, joined for the doors. */
import type { SettingFault } from '../systemd/ini.ts';
import type { DaemonSettings } from './config.ts';
import type { Identities } from './grpc/caller.ts';
import type { Definitions } from './store/definitions.ts';
import { HostGroups } from './store/host-groups.ts';
import { Policies } from './store/policies.ts';
import type { Tokens } from './store/tokens.ts';

export interface IdentitiesOptions {
  readonly settings: DaemonSettings;
  readonly tokens: Tokens;
  readonly definitions: Definitions;
  readonly clock: { monotonic(): number };
  readonly warn: (text: string) => void;
}

/** Throws SettingsError when the policy can't be used. */
export function openIdentities(
  options: IdentitiesOptions,
): Identities & { reload(): readonly SettingFault[] } {
  const { settings, tokens, definitions, clock, warn } = options;
  const { policy, vendor_policy: vendor } = settings.edge;
  const policies = new Policies({
    files: vendor === null ? [policy] : [policy, vendor],
    groups: new HostGroups(clock.monotonic),
    now: clock.monotonic,
    warn,
  });
  return {
    verify: (instance, token) => tokens.verify(instance, token),
    allowed: (login, groups) => policies.allowed(login, groups),
    loginOf: certificate => settings.daemon.certificate_logins[certificate]?.[0] ?? null,
    isInstance: instance => definitions.find(instance) !== null,
    reload: () => policies.reload(),
  };
}
