import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProtocol } from '../proto/services.ts';
import type { Log } from '../systemd/log.ts';
import type { Places } from '../systemd/settings.ts';
import type { PassedSocket } from '../systemd/sockets.ts';
import { backupHold } from './backup.ts';
import { type DaemonSettings, tokenSettings } from './config.ts';
import { claimsOf } from './core/claims.ts';
import { Feed } from './core/feed.ts';
import { defaultInstance } from './core/instances.ts';
import { Locks } from './core/locks.ts';
import { dispatcherCheck } from './core/pulse.ts';
import { Scheduler } from './core/scheduler.ts';
import { openDoors } from './doors.ts';
import { openDrawings } from './drawings.ts';
import { runHooks } from './hooks.ts';
import { openIdentities } from './identities.ts';
import { openPlace } from './place.ts';
import { WorkerPool } from './pool/worker-pool.ts';
import { type Reload, reloader, SettingsInForce } from './reload.ts';
import { retainDaily, retentionPlanner } from './retention.ts';
import { answerThread, taskRunner } from './runner.ts';
import { servicesOf } from './services.ts';
import { Catalogue } from './store/catalogue.ts';
import { openDatabase } from './store/database.ts';
import { Definitions } from './store/definitions.ts';
import { Journals } from './store/journals.ts';
import { Spool } from './store/spool.ts';
import { TaskLists } from './store/task-lists.ts';
import { TASK_TABLES, TaskStore } from './store/task-store.ts';
import { TOKEN_TABLES, Tokens } from './store/tokens.ts';
import { Workspaces } from './store/workspaces.ts';
import { recoverState, stopWithin, sweepLater } from './turns.ts';
import { keepUp } from './upkeep.ts';

/** What only the top of the process knows. */
export interface DaemonOptions {
  readonly places: Places;
  readonly settings: DaemonSettings;
  readonly log: Log;
  readonly host: {
    /** uname -m word. */
    readonly architecture: string;
    readonly name: string;
    /** Fields of os-release(5). */
    readonly release: Readonly<Record<string, string>>;
  };
  readonly passed: readonly PassedSocket[];
  /** Milliseconds since the epoch, and monotonic. */
  readonly clock: { wall(): number; monotonic(): number };
  readonly newId: () => string;
  /** Environment of the children that draw. */
  readonly env: NodeJS.ProcessEnv;
  /** Entries of the threads; the shipped ones unless a test brings its own. */
  readonly entries?: { readonly task: string; readonly query: string };
}

export interface Daemon {
  /** `2 running, 5 waiting`. */
  status(): string;
  /** Whether its parts still answer. */
  isAlive(): boolean;
  /** Reads all settings again. Throws when they can't be used; the old ones then stay. */
  readonly reload: Reload;
  /** Ends in order within the settings' time: no new work, running tasks end or wait again, calls finish. */
  close(): Promise<void>;
}

const ENTRIES = {
  task: fileURLToPath(new URL('../workers/task.ts', import.meta.url)),
  query: fileURLToPath(new URL('../workers/query.ts', import.meta.url)),
};

/** Milliseconds that calls get to finish once nothing runs any longer. */
const CALL_GRACE = 2000;

/** Starts everything. Resolves when all doors answer; throws a Fault or SettingsError when it can't start. */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  const { places, settings, log, clock, newId, host } = options;
  const warn = (text: string): void => log.warn(text);
  const report = (error: unknown, where: string): void => log.error({ err: error }, where);
  const seconds = (): number => clock.wall() / 1000;
  const inForce = new SettingsInForce(settings);
  const tables = [TASK_TABLES, Catalogue.migrations, TOKEN_TABLES];
  const database = openDatabase(join(places.lib, 'state.db'), tables);
  const definitions = new Definitions({
    folder: settings.dirs.instances,
    host: host.architecture,
    fallback: defaultInstance(host.release, host.architecture, host.name),
    warn,
  });
  const spool = new Spool(join(places.lib, 'spool'), newId);
  const workspaces = new Workspaces({
    root: settings.tasks.workspaces,
    spool: spool.folder,
    run: settings.dirs.run,
  });
  const catalogue = new Catalogue(database, { registry: settings.dirs.registry, now: seconds });
  const store = new TaskStore({
    database,
    claims: task => claimsOf(task.instance, task.spec),
    workspaces,
  });
  const tokens = new Tokens({ ...tokenSettings(settings), database, now: seconds, newId });
  const identities = openIdentities({ settings: inForce, tokens, definitions, clock, warn });
  for (const { id } of definitions.all()) tokens.prepare(id);
  await workspaces.prepare(definitions.all().map(instance => instance.id));

  const feed = new Feed();
  const threads = () => inForce.threads;
  const place = openPlace({ workspaces, threads: threads(), now: seconds, newId, report });
  const locks = new Locks();
  const { task: taskEntry, query: queryEntry } = options.entries ?? ENTRIES;
  const pool: WorkerPool = new WorkerPool({
    taskEntry,
    queryEntry,
    answer: (job, question) => answerThread({ locks, catalogue, scheduler }, job, question),
    note: (task, told) => scheduler.present.note(task, told),
    report,
  });
  const lists = new TaskLists(database);
  const runner = taskRunner({ pool, lists, store, locks, catalogue, workspaces, threads, now: seconds });
  const scheduler: Scheduler = new Scheduler({
    caps: inForce.caps,
    records: store,
    runner,
    place,
    feed,
    instance: id => definitions.find(id),
  });
  feed.subscribe(runHooks(() => inForce.now.tasks.hook, definitions, warn));
  feed.subscribe(task => {
    if (task.state === 'finished')
      workspaces.close(task).catch(error => report(error, `task.yml of task ${task.id}`));
  });
  const journals = new Journals({
    find: id => scheduler.present.get(id),
    subscribe: listener => feed.subscribe(listener),
    now: clock.monotonic,
  });

  const drawings = openDrawings({ places, env: options.env, log, now: clock.wall });
  const { dirs } = settings;
  const recovered = await recoverState({ catalogue, store, pool, place, scheduler, dirs, report });
  if (recovered !== '') log.info(recovered);
  const reload = reloader({ places, inForce, identities, definitions, tokens, drawings, scheduler, log });
  const parts = {
    ...{
      settings,
      inForce,
      definitions,
      scheduler,
      store,
      workspaces,
      spool,
      lists,
      feed,
      catalogue,
      journals,
      tokens,
    },
    ...{ pool, clock, now: seconds, newId, report, warn, reload },
    hold: backupHold({ places, settings, database, catalogue, definitions, locks, newId }),
    plan: retentionPlanner({ catalogue, pool, now: seconds }),
  };
  const doors = await openDoors({
    settings,
    spool: spool.folder,
    protocol: loadProtocol(),
    services: { ...drawings.services, ...servicesOf(parts) },
    identities,
    passed: options.passed,
    warn,
    reportBug: report,
  });
  scheduler.open();
  drawings.open();
  for (const door of doors) door.setServing(true);
  const upkeep = { threads, catalogue, definitions, scheduler, now: seconds, newId, report };
  const dispatches = dispatcherCheck(scheduler, clock.monotonic);
  const stopTurns = [sweepLater(parts), retainDaily(parts), keepUp(upkeep)];

  return {
    status: () => `${scheduler.queue.running} running, ${scheduler.queue.waiting} waiting`,
    isAlive: () => database.isAlive() && dispatches(),
    reload,
    close: async () => {
      for (const door of doors) door.setServing(false);
      const limit = inForce.now.daemon.stop_timeout * 1000;
      for (const stop of stopTurns) stop();
      const ended = await stopWithin(limit, scheduler, pool);
      await Promise.all(doors.map(door => door.close(CALL_GRACE)));
      // A thread with living terminals must not be ended; the process takes it along.
      if (ended) await pool.close();
      await drawings.close();
      database.close();
    },
  };
}
