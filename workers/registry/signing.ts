/** Signs what is published, with the signing key of an instance, by the system's gpg. */
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import { runAnyway } from '../tool.ts';
import { onceMore, runGpg, signingHome } from './gnupg.ts';
import { type KeyringInfo, keyringPath, readKeyring } from './keyring.ts';

/** Seconds before a key's end from which publications warn. */
const WARN_BEFORE = 30 * 86_400;

type SignerInput = Uint8Array | string | Promise<string>;

/** Signs until closed. Every method throws `key-expired` or `signing-failed`, never yields half a signature. */
export interface Signer {
  readonly keyring: KeyringInfo;
  /** Absolute paths of the home and the passphrase, for tools that call gpg themselves (rpmsign). */
  readonly home: string;
  readonly passphrase: string;
  /**
   * A text of whole lines without blanks at their ends: framed with its signature (InRelease), and that signature by
   * itself (Release.gpg). The key is used once for both, since RSA costs more than all else of a publication. While the
   * text is in the making gpg gets ready; why it could not be made is thrown on.
   */
  signText(text: Promise<string>): Promise<{ readonly inline: Buffer; readonly detached: Buffer }>;
  /** Starts gpg for the text that comes next, while that is far away still. */
  getReady(): void;
  /** A detached signature: armored (repomd.xml.asc) or binary (SHA256SUMS.gpg). */
  detach(data: Uint8Array | string, armored: boolean): Promise<Buffer>;
  close(): Promise<void>;
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
  let first: Promise<unknown> | null = null;
  let used = false;
  const sign = async (args: readonly string[], input: SignerInput): Promise<Buffer> => {
    const words = ['--lock-never', ...user, ...args];
    // The first gpg starts the agent, for all; without locks two of them would start two.
    const ready = first;
    const signing = (async () => {
      await ready?.catch(() => undefined);
      return onceMore(context, () => signOnce(context, home.path, words, passphrase, input));
    })();
    first ??= signing;
    const signature = await signing;
    used = true;
    return signature;
  };
  let prepared: { readonly take: (text: Promise<string>) => void; readonly signed: Promise<Buffer> } | null =
    null;
  const prepare = (): NonNullable<typeof prepared> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const signed = sign(['--clear-sign'], promise);
    // Who closes before there was a text does not ask; a task that stops asks for neither.
    signed.catch(() => undefined);
    promise.catch(() => undefined);
    return { take: resolve, signed };
  };
  return {
    keyring,
    home: home.path,
    passphrase,
    getReady: () => {
      prepared ??= prepare();
    },
    signText: async text => {
      const { take, signed } = prepared ?? prepare();
      prepared = null;
      // The frame leaves the last line ending out of what is signed (RFC 4880, 7.1); a signature by itself has it in.
      take(text.then(checkLines).then(lines => `${lines}\n`));
      const inline = await signed;
      return { inline, detached: inline.subarray(inline.lastIndexOf('-----BEGIN PGP SIGNATURE-----')) };
    },
    detach: (data, armored) => sign([...(armored ? ['--armor'] : []), '--detach-sign'], data),
    close: async () => {
      if (prepared !== null) {
        prepared.take(Promise.reject(new Error('there is nothing to sign')));
        await prepared.signed.catch(() => undefined);
      }
      // An agent that has only just begun does not watch its home yet, and would stay when that goes.
      if (first !== null && !used) await endAgent(home.path);
      home.close();
    },
  };
}

/** A text whose two signatures are the same. Throws for any other: the frame signs lines without the blanks at their ends. */
function checkLines(text: string): string {
  if (/\n$/.test(text) && !/[ \t\r]$/m.test(text)) return text;
  throw new Error('this text can not be signed once for both');
}

/** Does nothing where there is none. Also where the task is stopped: an agent is none of the processes that end with it. */
async function endAgent(home: string): Promise<void> {
  const command = ['gpg-connect-agent', '--homedir', home, '--no-autostart', 'KILLAGENT', '/bye'];
  await runAnyway(command, { accept: [0, 1, 2] }).catch(() => undefined);
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

async function signOnce(
  context: TaskContext,
  home: string,
  args: readonly string[],
  passphrase: string,
  input: SignerInput,
): Promise<Buffer> {
  const { exitCode, stdout, words } = await runGpg(context, home, args, { passphrase, input });
  if (exitCode === 0 && stdout.length > 0) return stdout;
  if (/expired/i.test(words)) throw expired(context.job.instance.id, 'just now');
  throw new Fault('internal', 'signing-failed', `gpg could not sign: ${words}`);
}
