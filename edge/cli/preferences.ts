/** The user's preferences: a small INI file that fatbuildrctl's users have already. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { readSettings, text } from '../../systemd/settings.ts';
import type { Surroundings } from './surroundings.ts';

const SCHEMA = {
  user: { name: text(null), email: text(null) },
  prefs: {
    uri: text(null),
    basedir: text(null),
    message: text(null),
    tokens: text(null),
    commit_template: text(null),
  },
};

/** What the file says; null where it says nothing. Paths are absolute. */
export interface Preferences {
  readonly name: string | null;
  readonly email: string | null;
  readonly uri: string | null;
  /** Directory that artifact directories are looked for in. */
  readonly basedir: string | null;
  /** Message of builds that are given none. */
  readonly message: string | null;
  /** Directory of token files. */
  readonly tokens: string;
  /** File that `patches` offers as a commit message. */
  readonly commitTemplate: string | null;
}

/** The user's directory of settings. */
function configHome(surroundings: Pick<Surroundings, 'env' | 'home'>): string {
  return surroundings.env.XDG_CONFIG_HOME || join(surroundings.home, '.config');
}

/** Reads `given`, else rackwright.ini, else fatbuildr.ini. Throws SettingsError naming file, line and key. */
export function readPreferences(
  surroundings: Pick<Surroundings, 'env' | 'home' | 'cwd'>,
  given: string | undefined,
): Preferences {
  const folder = configHome(surroundings);
  const usual = [join(folder, 'rackwright.ini'), join(folder, 'fatbuildr.ini')].find(file =>
    existsSync(file),
  );
  const file = given === undefined ? usual : resolve(surroundings.cwd, given);
  if (given !== undefined && !existsSync(file ?? '')) {
    throw new Fault('invalid', 'bad-settings', `${file}: there is no such file of preferences`);
  }
  const { settings } = readSettings(SCHEMA, { files: file === undefined ? [] : [file] });
  const path = (value: string): string =>
    resolve(surroundings.cwd, value.replace(/^~(?=\/|$)/, surroundings.home));
  const { basedir, tokens, commit_template: template } = settings.prefs;
  return {
    name: settings.user.name,
    email: settings.user.email,
    uri: settings.prefs.uri,
    message: settings.prefs.message,
    basedir: basedir === null ? null : path(basedir),
    tokens: tokens === null ? join(folder, 'rackwright', 'tokens') : path(tokens),
    commitTemplate: template === null ? null : path(template),
  };
}
