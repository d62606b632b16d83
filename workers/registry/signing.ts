/** Signs what is published, with the signing key of an instance, by the system's gpg. */
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import { runGpg, signingHome } from './gnupg.ts';
import { type KeyringInfo, keyringPath, readKeyring } from './keyring.ts';

/** Seconds before a key's end from which publications warn. */
const WARN_BEFORE = 30 * 86_400;

/** Signs until closed. Every method throws `key-expired` or `signing-failed`, never yields half a signature. */
export interface Signer {
  readonly keyring: KeyringInfo;
  /** Absolute paths of the home and the passphrase, for tools that call gpg themselves (rpmsign). */
  readonly home: string;
  readonly passphrase: string;
  /** The text framed with its signature: InRelease. */
  clearSign(text: string): Promise<Buffer>;
  /** A detached signature: armored (Release.gpg, repomd.xml.asc) or binary (SHA256SUMS.gpg). */
  detach(data: Uint8Array | string, armored: boolean): Promise<Buffer>;
  close(): void;
}

/** Opens the instance's signing key. Throws `no-keyring`, `key-expired`. */
export function openSigner(context: TaskContext): Signer {
  const { instance, settings } = context.job;
  const path = keyringPath(settings.dirs.keyring, instance.id);
  const keyring = readKeyring(path);
  if (!keyring) {
    throw new Fault(
      'refused',
      'no-keyring',
      `instance ${instance.id} has no signing key: create its keyring first`,
    );
  }
  checkExpiry(context, keyring);
  const home = signingHome(context, path);
  const passphrase = join(path, 'passphrase');
  const user = ['--local-user', `${keyring.subkey.fingerprint}!`, '--digest-algo', 'SHA512'];
  // Only the keys' owner writes here, and never in place: no locks are needed to read them.
  const agent = startAgent(context, home.path);
  const sign = async (args: readonly string[], input: Uint8Array | string): Promise<Buffer> => {
    await agent;
    return signRetrying(context, home.path, ['--lock-never', ...user, ...args], passphrase, input);
  };
  return {
    keyring,
    home: home.path,
    passphrase,
    clearSign: text => sign(['--clear-sign'], text),
    detach: (data, armored) => sign([...(armored ? ['--armor'] : []), '--detach-sign'], data),
    close: () => home.close(),
  };
}

/** Started while indexes are written, so that signing need not wait; gpg starts one itself where this fails. */
async function startAgent(context: TaskContext, home: string): Promise<void> {
  try {
    await context.runTool(['gpg-agent', '--homedir', home, '--daemon'], { accept: [0, 1, 2] });
  } catch {}
}

function checkExpiry(context: TaskContext, keyring: KeyringInfo): void {
  const ends = [keyring.master.expires, keyring.subkey.expires].filter(time => time > 0);
  if (ends.length === 0) return;
  const end = Math.min(...ends);
  const now = Date.now() / 1000;
  const date = new Date(end * 1000).toISOString().slice(0, 10);
  if (end <= now) throw expired(context.job.instance.id, `on ${date}`);
  if (end - now < WARN_BEFORE) {
    context.console.log('warning', `The signing key expires on ${date}: renew the keyring before`);
  }
}

function expired(instance: string, when: string): Fault {
  return new Fault(
    'refused',
    'key-expired',
    `the signing key of instance ${instance} expired ${when}: renew the keyring, then retry`,
    { instance },
  );
}

/** A signer that was killed, or whose agent was, gets one more chance. */
async function signRetrying(
  context: TaskContext,
  home: string,
  args: readonly string[],
  passphrase: string,
  input: Uint8Array | string,
): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    let problem: string;
    try {
      const answer = await runGpg(context, home, args, { passphrase, input });
      if (answer.exitCode === 0 && answer.stdout.length > 0) return answer.stdout;
      problem = answer.stderr.trim().split('\n').at(-1) ?? '';
      if (/expired/i.test(problem)) throw expired(context.job.instance.id, 'just now');
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof Fault) || error.reason !== 'killed') throw error;
      problem = error.message;
    }
    if (attempt === 2) {
      throw new Fault('internal', 'signing-failed', `gpg could not sign, twice: ${problem}`);
    }
    context.console.log('warning', `Signing failed (${problem}), trying once more`);
  }
}
