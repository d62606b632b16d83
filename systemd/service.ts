/** The life of a service process: start, signs of life, reload on SIGHUP, an orderly end on SIGTERM and SIGINT. */
import type { Log } from './log.ts';
import type { Notifier } from './notify.ts';

/** A service that has started. */
interface Service {
  /** One line for `systemctl status`. */
  status(): string;
  /** Whether its parts still answer: no sign of life is sent otherwise. */
  isAlive(): boolean;
  /** Takes new settings over. Throws when they can't be used; the old ones then stay in force. */
  reload(): Promise<unknown>;
  /** Ends in order. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly open: () => Promise<Service>;
  readonly notifier: Notifier;
  readonly log: Log;
  /** The process that signals come to. */
  readonly signals: Pick<NodeJS.Process, 'on'>;
}

/** Milliseconds between looks at the status line. */
const STATUS_EVERY = 2000;

/** Runs a service until it is asked to end. Resolves when it has ended in order; rejects when it can't start. */
export async function runService({ open, notifier, log, signals }: ServiceOptions): Promise<void> {
  const asked = Promise.withResolvers<string>();
  signals.on('SIGTERM', () => asked.resolve('SIGTERM'));
  signals.on('SIGINT', () => asked.resolve('SIGINT'));
  let service: Service | null = null;
  // What was read at the start may have been changed since: a hangup that comes meanwhile counts once it is over.
  let hungUp = false;
  signals.on('SIGHUP', () => {
    if (service) void reload(service, log);
    else hungUp = true;
  });
  service = await open();
  const running = service;
  if (hungUp) void reload(running, log);
  let shown = running.status();
  await notifier.ready(shown);
  const status = setInterval(() => {
    const now = running.status();
    if (now === shown) return;
    shown = now;
    void notifier.status(now);
  }, STATUS_EVERY);
  const watchdog =
    notifier.watchdogEvery > 0
      ? setInterval(() => beAlive(running, notifier, log), notifier.watchdogEvery)
      : null;
  const signal = await asked.promise;
  log.info(`${signal}: stopping`);
  clearInterval(status);
  await notifier.stopping('stopping');
  try {
    await running.close();
  } finally {
    if (watchdog) clearInterval(watchdog);
  }
}

function beAlive(service: Service, notifier: Notifier, log: Log): void {
  try {
    if (service.isAlive()) void notifier.alive();
    else log.error('the self-check failed: systemd is not told of life');
  } catch (error) {
    log.error({ err: error }, 'the self-check failed');
  }
}

async function reload(service: Service, log: Log): Promise<void> {
  try {
    await service.reload();
  } catch (error) {
    log.error(`the old settings stay in force:\n${error instanceof Error ? error.message : String(error)}`);
  }
}
