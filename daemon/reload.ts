/** The settings in force, and reading them again: all are checked before any is taken over. */
import { Fault } from '../proto/fault.ts';
import { changeSettings, type Keys } from '../systemd/changes.ts';
import type { Log } from '../systemd/log.ts';
import { type Places, SettingsError } from '../systemd/settings.ts';
import type { WorkerSettings } from '../workers/job.ts';
import { type DaemonSettings, readConfig, tokenSettings, workerSettings } from './config.ts';
import type { Caps } from './core/queue.ts';
import type { Scheduler } from './core/scheduler.ts';
import type { DrawingsPart } from './drawings.ts';
import type { Identities } from './grpc/caller.ts';
import { idleSettings } from './idle-settings.ts';
import type { Definitions } from './store/definitions.ts';
import type { Tokens } from './store/tokens.ts';

/** Keys that count from the next start on: where things lie, what listens, what was begun at the start. */
const AT_START: Keys = {
  dirs: ['instances', 'registry', 'cache', 'run', 'tmp'],
  daemon: ['listen', 'tls_ca', 'tls_certificate', 'tls_key'],
  images: ['storage'],
  registry: ['retain_at'],
  tasks: ['workspaces'],
  keyring: ['storage'],
  tokens: ['storage'],
};
/** Keys that the edge has read as well, and goes by until it is told to reload, too. */
const AT_THE_EDGE: Readonly<Record<string, readonly string[]>> = {
  edge: ['max_upload', 'max_text', 'max_message', 'max_sources', 'heartbeat'],
};

/** Settings as they are in force; a reload changes them. */
export class SettingsInForce {
  #now: DaemonSettings;

  constructor(settings: DaemonSettings) {
    this.#now = settings;
  }

  get now(): DaemonSettings {
    return this.#now;
  }

  /** What the threads of the next tasks are told. */
  get threads(): WorkerSettings {
    return workerSettings(this.#now);
  }

  /** How many tasks may run; what runs already goes on. */
  get caps(): Caps {
    const inForce = this;
    return {
      get total() {
        return inForce.#now.tasks.max_workers;
      },
      get perInstance() {
        return inForce.#now.tasks.workers;
      },
    };
  }

  /** What a reading leads to, and the keys in it that wait for a restart: these stay as they are. */
  after(read: DaemonSettings): { readonly settings: DaemonSettings; readonly waiting: readonly string[] } {
    const { settings, changes } = changeSettings(this.#now, read, AT_START);
    const waiting = changes.flatMap(({ section, key, waits }) => {
      if (AT_THE_EDGE[section]?.includes(key)) return [`[${section}]>${key} (rackwright-edge)`];
      return waits ? [`[${section}]>${key}`] : [];
    });
    return { settings, waiting };
  }

  put(settings: DaemonSettings): void {
    this.#now = settings;
  }
}

export interface ReloadParts {
  readonly places: Places;
  readonly inForce: SettingsInForce;
  readonly identities: Identities & { prepare(settings: DaemonSettings): () => void };
  readonly definitions: Definitions;
  readonly tokens: Tokens;
  readonly drawings: Pick<DrawingsPart, 'prepare'>;
  readonly scheduler: Pick<Scheduler, 'open'>;
  readonly log: Log;
}

/** Answers the keys that were changed and wait for a restart. Throws `bad-settings` with every fault; then nothing changed. */
export type Reload = () => Promise<readonly string[]>;

export function reloader(parts: ReloadParts): Reload {
  const { places, inForce, identities, definitions, tokens, drawings, scheduler, log } = parts;
  return async () => {
    const faults: string[] = [];
    const attempt = <T>(check: () => T): T | null => {
      try {
        return check();
      } catch (error) {
        if (!(error instanceof SettingsError) && !(error instanceof Fault)) throw error;
        faults.push(error.message);
        return null;
      }
    };
    const loaded = attempt(() => readConfig(places));
    const { settings, waiting } = inForce.after(loaded?.settings ?? inForce.now);
    const takeOver = [
      attempt(() => identities.prepare(settings)),
      attempt(() => definitions.prepare()),
      attempt(() => {
        const told = tokenSettings(settings);
        return () => tokens.configure(told);
      }),
    ];
    const drawn = attempt(() => drawings.prepare());
    if (!drawn || faults.length > 0) throw new Fault('invalid', 'bad-settings', faults.join('\n'));
    // The inventory is read by a process of its own; it changes nothing when it is refused.
    const late = [...waiting, ...(await drawn())];
    for (const take of takeOver) take?.();
    inForce.put(settings);
    for (const { id } of definitions.all()) tokens.prepare(id);
    const { debug, fulldebug } = settings.daemon;
    log.level = debug || fulldebug ? 'debug' : 'info';
    // More may run now than did.
    scheduler.open();
    log.info('settings reloaded');
    for (const line of loaded ? idleSettings(loaded) : []) log.warn(line);
    if (late.length > 0) log.warn(`restart needed for: ${late.join(', ')}`);
    return late;
  };
}
