/** The keyring of an instance on disk: what is in it, and how a new state of it takes the old one's place. */
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';

/** What `keyring.json` says; times in seconds since the epoch, `expires` 0 = never. */
export interface KeyringInfo {
  readonly userid: string;
  readonly updated: number;
  readonly master: KeyInfo;
  readonly subkey: KeyInfo;
}

export interface KeyInfo {
  readonly id: string;
  readonly fingerprint: string;
  readonly algorithm: string;
  readonly created: number;
  readonly expires: number;
}

/** Absolute path of an instance's keyring: a link to its current state. */
export function keyringPath(keyrings: string, instance: string): string {
  return join(keyrings, instance);
}

/** Reads what is known of a keyring; null when there is none. */
export function readKeyring(path: string): KeyringInfo | null {
  try {
    return JSON.parse(readFileSync(join(path, 'keyring.json'), 'utf8')) as KeyringInfo;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Makes an empty folder for a new state of a keyring, and removes those that were never taken into use. */
export function newState(keyrings: string, instance: string): string {
  mkdirSync(keyrings, { recursive: true, mode: 0o700 });
  const current = currentState(keyrings, instance);
  const states = readdirSync(keyrings).filter(name => isStateOf(name, instance));
  for (const name of states) {
    if (name !== current) rmSync(join(keyrings, name), { recursive: true, force: true });
  }
  const number = 1 + Math.max(0, ...states.map(name => Number(name.slice(instance.length + 2))));
  const path = join(keyrings, `.${instance}.${number}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Copies the current state into a new one. */
export function copyState(keyrings: string, instance: string, target: string): void {
  const source = join(keyrings, currentState(keyrings, instance) ?? instance);
  cpSync(source, target, {
    recursive: true,
    preserveTimestamps: true,
    filter: path => !basename(path).startsWith('S.') && !path.endsWith('.lock'),
  });
}

/** Makes a state current by one rename, once all of it is durable: until then the old key signs. */
export function takeIntoUse(keyrings: string, instance: string, state: string): void {
  syncTree(state);
  syncPath(keyrings);
  const link = join(keyrings, `.${instance}.link`);
  rmSync(link, { force: true });
  symlinkSync(basename(state), link);
  renameSync(link, keyringPath(keyrings, instance));
  syncPath(keyrings);
}

/** Name of the folder that the link leads to; null when there is none. */
function currentState(keyrings: string, instance: string): string | null {
  const path = keyringPath(keyrings, instance);
  try {
    return basename(readlinkSync(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (errorCode(error) !== 'EINVAL' || !existsSync(join(path, 'keyring.json'))) throw error;
    throw new Fault('conflict', 'already-there', `${path} is a folder that we did not make; move it away`);
  }
}

function isStateOf(name: string, instance: string): boolean {
  return name.startsWith(`.${instance}.`) && /^\d+$/.test(name.slice(instance.length + 2));
}

function syncTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) syncTree(inner);
    else if (entry.isFile()) syncPath(inner);
    else rmSync(inner, { force: true });
  }
  syncPath(path);
}

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
