/** What a service tells systemd: ready, its status line, that it lives, that it stops. The only importer of systemd-notify. */
import { createRequire } from 'node:module';

/** The package has no types; this is what it takes. A status may carry further lines of the protocol. */
type Notify = (message: {
  readonly ready?: boolean;
  readonly status?: string;
  readonly pid?: number;
}) => Promise<void>;

export interface Notifier {
  /** `READY=1`; the service counts as started. */
  ready(status: string): Promise<void>;
  /** The line that `systemctl status` shows; one line, cut at 200 characters. */
  status(text: string): Promise<void>;
  /** `WATCHDOG=1`: the main loop turns and its self-check passed. */
  alive(): Promise<void>;
  /** `STOPPING=1`. */
  stopping(status: string): Promise<void>;
  /** Milliseconds between signs of life that the unit wants, half its limit; 0 without a watchdog. */
  readonly watchdogEvery: number;
}

const MAX_STATUS = 200;

/**
 * A notifier for this process; one that does nothing where systemd does not wait for us. A message that can't be sent
 * goes to `warn`: a service must not fail because its status line did.
 */
export function openNotifier(env: NodeJS.ProcessEnv, warn: (text: string) => void): Notifier {
  if (!env.NOTIFY_SOCKET) {
    const nothing = async (): Promise<void> => undefined;
    return { ready: nothing, status: nothing, alive: nothing, stopping: nothing, watchdogEvery: 0 };
  }
  const notify = createRequire(import.meta.url)('systemd-notify') as Notify;
  // One message at a time and in order: each is a process of its own.
  let last: Promise<void> = Promise.resolve();
  const send = (message: Parameters<Notify>[0]): Promise<void> => {
    last = last
      .then(() => notify(message))
      .catch((problem: unknown) => warn(`systemd was not told: ${String(problem)}`));
    return last;
  };
  const watchdog = Number(env.WATCHDOG_USEC ?? 0) / 1000;
  const ours = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === process.pid;
  let shown = '';
  const show = (text: string): string => {
    shown = text.replace(/\s+/g, ' ').slice(0, MAX_STATUS);
    return shown;
  };
  return {
    ready: text => send({ ready: true, status: show(text) }),
    status: text => send({ status: show(text) }),
    // The package knows neither; lines behind the status pass through as they are.
    alive: () => send({ status: `${shown}\nWATCHDOG=1` }),
    stopping: text => send({ status: `${show(text)}\nSTOPPING=1` }),
    watchdogEvery: ours && watchdog > 0 ? watchdog / 2 : 0,
  };
}
