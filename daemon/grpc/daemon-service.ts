/** The daemon itself over gRPC: what it does and has done, and reading its settings again. */
import type { Handlers } from '../../proto/services.ts';
import type { HoldForBackupResponse } from '../../proto/types/rackwright/v1/HoldForBackupResponse.ts';
import { VERSION } from '../../proto/words.ts';
import type { Ended } from '../core/ended.ts';

export interface DaemonPart {
  readonly load: { readonly running: number; readonly waiting: number };
  readonly ended: Ended;
  /** Seconds since the epoch. */
  readonly started: number;
  /** When the instances' signing keys end, in seconds since the epoch; 0 = never. */
  signingKeys(): Promise<{ readonly instance: string; readonly expires: number }[]>;
  /** Answers the keys that wait for a restart. Throws `bad-settings` with every fault. */
  reload(): Promise<readonly string[]>;
  /** Holds all registries still until the signal aborts; one message when they are. */
  hold(signal: AbortSignal): AsyncIterable<HoldForBackupResponse>;
}

export function daemonService(daemon: DaemonPart): Handlers<'DaemonService'> {
  return {
    getDaemonStatus: async () => ({
      version: VERSION,
      started: daemon.started,
      running: daemon.load.running,
      waiting: daemon.load.waiting,
      ended: [...daemon.ended.counts()],
      signingKeys: await daemon.signingKeys(),
    }),
    reloadSettings: async () => ({ restart: [...(await daemon.reload())] }),
    holdForBackup: (_request, call) => daemon.hold(call.signal),
  };
}
