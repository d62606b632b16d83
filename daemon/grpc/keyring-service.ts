/** The signing keyring of an instance over gRPC. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { Keyring__Output } from '../../proto/types/rackwright/v1/Keyring.ts';
import { callerOf } from './caller.ts';
import { type Submitter, submitSpec } from './submit.ts';

/** The public part of keyrings. */
export interface Keyrings {
  /** null when the instance has none. */
  read(instance: string): Promise<Keyring__Output | null>;
  /** The armored public key; null when the instance has none. */
  armored(instance: string): Promise<string | null>;
}

export function keyringService(keyrings: Keyrings, submitter: Submitter): Handlers<'KeyringService'> {
  const found = <T>(value: T | null, instance: string): T => {
    if (value !== null) return value;
    throw new Fault('not_found', 'no-keyring', `the instance "${instance}" has no keyring yet`);
  };
  return {
    getKeyring: async ({ instance }) => ({ keyring: found(await keyrings.read(instance), instance) }),
    exportKeyring: async ({ instance }) => ({ armored: found(await keyrings.armored(instance), instance) }),
    createKeyring: async ({ instance }, call) =>
      submitSpec(submitter, instance, callerOf(call), { type: 'keyring-creation' }),
    renewKeyring: async ({ instance, duration }, call) => {
      if (!/^\d{1,6}[dwmy]?$/.test(duration)) {
        throw new Fault('invalid', 'bad-input', `"${duration}" is no duration such as 1y; 0 is never`);
      }
      return submitSpec(submitter, instance, callerOf(call), { type: 'keyring-renewal', duration });
    },
  };
}
