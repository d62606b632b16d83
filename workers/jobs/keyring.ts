/** The tasks that make an instance's signing keys and renew them. */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext, Work } from '../context.ts';
import type { InstanceSlice, Spec, WorkerSettings } from '../job.ts';
import {
  AGENT_SETTINGS,
  type GnupgHome,
  type GpgOptions,
  linkHome,
  onceMore,
  runGpg,
} from '../registry/gnupg.ts';
import {
  copyState,
  type KeyInfo,
  type KeyringInfo,
  keyringPath,
  newState,
  readKeyring,
  takeIntoUse,
} from '../registry/keyring.ts';

const PASSPHRASE_LENGTH = 32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Seconds that a new key's date lies back. */
const AGE = 60;
const DAY = 86_400;
/** Days of a unit, as gpg counts them. */
const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };

type Creation = Extract<Spec, { type: 'keyring-creation' }>;
type Renewal = Extract<Spec, { type: 'keyring-renewal' }>;

/** Makes a master key and one signing subkey. Refuses to overwrite: `already-there`. */
export const keyringCreation: Work<Creation> = async context => {
  const { instance, settings } = context.job;
  const keyrings = settings.dirs.keyring;
  if (readKeyring(keyringPath(keyrings, instance.id))) {
    throw new Fault('conflict', 'already-there', `instance ${instance.id} has a keyring already`);
  }
  const state = await onceMore(context, () => makeKeys(context));
  takeIntoUse(keyrings, instance.id, state);
  const { name, email } = instance.gpg;
  const { type, size } = settings.keyring;
  const algorithm = type === 'rsa' ? `rsa${size}` : 'ed25519';
  context.console.log('info', `Made a ${algorithm} key for ${name} <${email}>`);
};

/** Makes the keys in a new state, whose path it answers. */
async function makeKeys(context: TaskContext): Promise<string> {
  const { instance, settings } = context.job;
  const state = newState(settings.dirs.keyring, instance.id);
  const passphrase = join(state, 'passphrase');
  writeFileSync(passphrase, randomPassphrase(), { mode: 0o400 });
  writeFileSync(join(state, 'gpg-agent.conf'), AGENT_SETTINGS, { mode: 0o600 });
  await inHome(context, state, async home => {
    context.progress('keys', 0, 1);
    await gpg(context, home, ['--generate-key'], {
      passphrase,
      input: keyParameters(instance.gpg, settings.keyring),
    });
    await writePublic(context, home, state);
  });
  return state;
}

/**
 * What gpg is told of both keys, as "Unattended key generation" of its manual has it. They are made in one go with one
 * date, and that a little ago: gpg takes no key of the future, and clocks are set back, and differ among machines.
 */
function keyParameters(owner: InstanceSlice['gpg'], keys: WorkerSettings['keyring']): string {
  const kind = (key: string): string[] =>
    keys.type === 'rsa'
      ? [`${key}-Type: RSA`, `${key}-Length: ${keys.size}`]
      : [`${key}-Type: EDDSA`, `${key}-Curve: ed25519`];
  const created = Math.floor(Date.now() / 1000) - AGE;
  return [
    ...kind('Key'),
    'Key-Usage: cert',
    ...kind('Subkey'),
    'Subkey-Usage: sign',
    `Name-Real: ${owner.name}`,
    `Name-Email: ${owner.email}`,
    `Creation-Date: seconds=${created}`,
    // Counted from the creation.
    `Expire-Date: ${keys.expires === 0 ? 0 : `seconds=${keys.expires + AGE}`}`,
    '%commit',
    '',
  ].join('\n');
}

/** Sets a new expiry on both keys. Until the renewed keyring is durable the old one stays in use. */
export const keyringRenewal: Work<Renewal> = async (context, spec) => {
  const { instance, settings } = context.job;
  const keyrings = settings.dirs.keyring;
  const seconds = readDuration(spec.duration);
  if (!readKeyring(keyringPath(keyrings, instance.id))) {
    throw new Fault('not_found', 'no-keyring', `instance ${instance.id} has no keyring to renew`);
  }
  const state = await onceMore(context, () => renewKeys(context, seconds));
  takeIntoUse(keyrings, instance.id, state);
  context.console.log(
    'info',
    `Renewed the keys of ${instance.id}: ${seconds === 0 ? 'no expiry' : spec.duration}`,
  );
};

/** Copies the keys into a new state, whose path it answers, and makes them last for so many seconds from now; 0 = for ever. */
async function renewKeys(context: TaskContext, seconds: number): Promise<string> {
  const { instance, settings } = context.job;
  const keyrings = settings.dirs.keyring;
  const state = newState(keyrings, instance.id);
  copyState(keyrings, instance.id, state);
  const passphrase = join(state, 'passphrase');
  const until = seconds === 0 ? 'never' : `seconds=${seconds}`;
  await inHome(context, state, async home => {
    const { master, subkey } = await readKeys(context, home);
    const sub = subkey?.fingerprint ?? '*';
    await gpg(context, home, ['--quick-set-expire', master.fingerprint, until], { passphrase });
    // By fingerprint: "*" would leave out a key that has expired.
    await gpg(context, home, ['--quick-set-expire', master.fingerprint, until, sub], { passphrase });
    await writePublic(context, home, state);
  });
  return state;
}

/** Seconds of `^\d+[dwmy]?$`; bare numbers are days, 0 = never. Throws `bad-input`. */
export function readDuration(text: string): number {
  const match = /^(\d{1,6})([dwmy]?)$/.exec(text);
  if (!match) throw new Fault('invalid', 'bad-input', `"${text}" is not a duration such as 1y, 6m, 2w or 30`);
  return Number(match[1]) * (UNIT_DAYS[match[2] || 'd'] ?? 1) * DAY;
}

function randomPassphrase(): string {
  return Array.from({ length: PASSPHRASE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

async function inHome(
  context: TaskContext,
  state: string,
  work: (home: string) => Promise<void>,
): Promise<void> {
  const home: GnupgHome = linkHome(context, state);
  try {
    await work(home.path);
  } finally {
    await context.runTool(['gpgconf', '--homedir', home.path, '--kill', 'gpg-agent'], { accept: [0, 1, 2] });
    home.close();
  }
}

async function gpg(
  context: TaskContext,
  home: string,
  args: readonly string[],
  options: GpgOptions = {},
): Promise<Buffer> {
  const answer = await runGpg(context, home, args, options);
  if (answer.exitCode === 0) return answer.stdout;
  throw new Fault('internal', 'signing-failed', `gpg ${args[0]} failed: ${answer.words}`);
}

/** Writes what others read: the public key twice, and what there is to know of the keys. */
async function writePublic(context: TaskContext, home: string, state: string): Promise<void> {
  const keys = await readKeys(context, home);
  if (keys.subkey === null) throw new Fault('internal', 'signing-failed', 'gpg made no signing key');
  const info: KeyringInfo = {
    userid: keys.userid,
    updated: Math.floor(Date.now() / 1000),
    master: keys.master,
    subkey: keys.subkey,
  };
  writeFileSync(join(state, 'public.asc'), await gpg(context, home, ['--armor', '--export']), {
    mode: 0o644,
  });
  writeFileSync(join(state, 'public.gpg'), await gpg(context, home, ['--export']), { mode: 0o644 });
  writeFileSync(join(state, 'keyring.json'), `${JSON.stringify(info)}\n`, { mode: 0o644 });
}

interface Keys {
  readonly userid: string;
  readonly master: KeyInfo;
  readonly subkey: KeyInfo | null;
}

/** Reads gpg's colon listing (GnuPG's doc/DETAILS). */
async function readKeys(context: TaskContext, home: string): Promise<Keys> {
  const listing = await gpg(context, home, ['--with-colons', '--fixed-list-mode', '--list-keys']);
  let userid = '';
  const keys: KeyInfo[] = [];
  let key: string[] = [];
  for (const line of listing.toString('utf8').split('\n')) {
    const fields = line.split(':');
    if (fields[0] === 'pub' || fields[0] === 'sub') key = fields;
    else if (fields[0] === 'uid' && userid === '') {
      // Bytes over 0x7e and colons come as \xHH.
      userid = Buffer.from(
        (fields[9] ?? '').replace(/\\x([0-9a-f]{2})/g, (_, hex) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        ),
        'utf8',
      ).toString('utf8');
    } else if (fields[0] === 'fpr') {
      keys.push({
        id: key[4] ?? '',
        fingerprint: fields[9] ?? '',
        algorithm: algorithmName(Number(key[3]), Number(key[2]), key[16] ?? ''),
        created: Number(key[5] || 0),
        expires: Number(key[6] || 0),
      });
    }
  }
  const [master, subkey] = keys;
  if (!master) throw new Fault('internal', 'signing-failed', 'gpg lists no key');
  return { userid, master, subkey: subkey ?? null };
}

/** Public-key algorithm numbers of RFC 4880 (1) and RFC 6637 / draft EdDSA (22). */
function algorithmName(number: number, bits: number, curve: string): string {
  if (number === 1) return `rsa${bits}`;
  return curve !== '' ? curve : `algorithm ${number}`;
}
