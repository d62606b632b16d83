/** The daemon itself over gRPC: what it does and has done, and reading its settings again. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { HoldForBackupResponse } from '../../proto/types/rackwright/v1/HoldForBackupResponse.ts';
import { VERSION } from '../../proto/words.ts';
import { SettingsError } from '../../systemd/settings.ts';
import type { Ended } from '../core/ended.ts';

export interface DaemonPart {
  readonly load: { readonly running: number; readonly waiting: number };
  readonly ended: Ended;
  /** Seconds since the epoch. */
  readonly started: number;
  /** Throws SettingsError when the new settings can't be used. */
  reload(): void;
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
    }),
    reloadSettings: async () => {
      try {
        daemon.reload();
      } catch (error) {
        if (error instanceof SettingsError) throw new Fault('invalid', 'bad-settings', error.message);
        throw error;
      }
      return {};
    },
    holdForBackup: (_request, call) => daemon.hold(call.signal),
  };
}
