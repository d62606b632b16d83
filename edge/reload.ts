/** The edge's settings in force, and reading them again: all files are checked before anything is taken over. */
import { isDeepStrictEqual } from 'node:util';
import { changeSettings, type Keys } from '../systemd/changes.ts';
import type { Log } from '../systemd/log.ts';
import type { EdgeSettings } from './config.ts';
import type { Role } from './roles.ts';

/** Keys that count from the next start on: where things lie, what listens, which routes there are. */
const AT_START: Keys = {
  dirs: ['registry', 'run'],
  edge: ['host', 'port', 'instance', 'templates', 'vendor_templates', 'static', 'metrics'],
  drawing: ['cors'],
};

/** Settings as they are in force. Who looks a key up when it is needed sees what a reload has changed. */
export class EdgeSettingsInForce implements EdgeSettings {
  #now: EdgeSettings;

  constructor(settings: EdgeSettings) {
    this.#now = settings;
  }

  get dirs(): EdgeSettings['dirs'] {
    return this.#now.dirs;
  }

  get edge(): EdgeSettings['edge'] {
    return this.#now.edge;
  }

  get drawing(): EdgeSettings['drawing'] {
    return this.#now.drawing;
  }

  /** Takes over what may change while the edge runs; answers the keys that wait for a restart. */
  take(read: EdgeSettings): string[] {
    const { settings, changes } = changeSettings(this.#now, read, AT_START);
    this.#now = settings;
    return changes.filter(({ waits }) => waits).map(({ section, key }) => `[${section}]>${key}`);
  }
}

export interface ReloadParts {
  readonly inForce: EdgeSettingsInForce;
  readonly roles: readonly Role[];
  /** Reads all files of all roles; throws SettingsError with every fault. */
  readonly read: () => { readonly settings: EdgeSettings; readonly roles: readonly Role[] };
  readonly log: Pick<Log, 'info' | 'warn' | 'level'>;
}

/** Answers the keys that were changed and wait for a restart. Throws SettingsError with every fault; then nothing changed. */
export type Reload = () => Promise<readonly string[]>;

export function reloader({ inForce, roles, read, log }: ReloadParts): Reload {
  return async () => {
    const next = read();
    const waiting = [...inForce.take(next.settings), ...takeRoles(roles, next.roles)];
    log.level = inForce.edge.debug ? 'debug' : 'info';
    log.info('settings reloaded');
    if (waiting.length > 0) log.warn(`restart needed for: ${waiting.join(', ')}`);
    return waiting;
  };
}

/** Takes over what of the roles may change; answers what waits: files that came or went, keys, what secrets' files hold. */
function takeRoles(running: readonly Role[], read: readonly Role[]): string[] {
  const waiting: string[] = [];
  for (const role of running) {
    const next = read.find(({ file }) => file === role.file);
    if (!next) {
      waiting.push(role.file);
      continue;
    }
    const { changes } = changeSettings(role.settings, next.settings, {});
    for (const { section, key } of changes) {
      if (!role.liveSections.includes(section)) waiting.push(`${role.file} [${section}]>${key}`);
    }
    if (!isDeepStrictEqual(role.secrets, next.secrets)) waiting.push(`${role.file}: keys and secrets`);
    Object.assign(role.live, next.live);
  }
  const added = read.filter(({ file }) => !running.some(role => role.file === file));
  return [...waiting, ...added.map(({ file }) => file)];
}
