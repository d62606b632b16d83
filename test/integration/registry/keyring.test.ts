/** The instance's keys: made once, renewed safely, used to sign. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../../proto/fault.ts';
import type { TaskContext } from '../../../workers/context.ts';
import { keyringCreation, keyringRenewal } from '../../../workers/jobs/keyring.ts';
import { sweepHomes } from '../../../workers/registry/gnupg.ts';
import { keyringPath, readKeyring } from '../../../workers/registry/keyring.ts';
import { openSigner } from '../../../workers/registry/signing.ts';
import { agentsBelow, agentsGone } from '../../support/gpg-agents.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { random, SEED, scaled } from '../../support/scale.ts';
import { until } from '../../support/until.ts';

const RENEWER = fileURLToPath(new URL('../../support/keyring-crash.ts', import.meta.url));

const CREATION = { type: 'keyring-creation' } as const;

/** Verifies with gpgv, as apt does. */
function gpgv(keyring: string, ...files: string[]): void {
  execFileSync('gpgv', ['--keyring', keyring, ...files], { stdio: 'pipe' });
}

describe('the keyring of an instance', async () => {
  const registry = openRegistry();
  after(() => registry.close());
  const path = keyringPath(registry.settings.dirs.keyring, 'default');

  test('is a master key with one signing subkey and a passphrase', async () => {
    await makeKeyring(registry);
    const info = readKeyring(path);
    assert.equal(info?.userid, 'Example team <team@example.org>');
    assert.match(info.subkey.fingerprint, /^[0-9A-F]{40}$/);
    assert.notEqual(info.master.fingerprint, info.subkey.fingerprint);
    assert.equal(info.master.algorithm, 'ed25519');
    // A clock that is a little behind, here or at a client, must not make it a key of the future.
    for (const key of [info.master, info.subkey])
      assert.ok(key.created <= Date.now() / 1000 - 59, `${key.created}`);
    assert.equal(statSync(join(path, 'passphrase')).mode & 0o777, 0o400);
    assert.match(readFileSync(join(path, 'passphrase'), 'utf8'), /^[A-Za-z0-9]{32}$/);
    assert.match(readFileSync(join(path, 'public.asc'), 'utf8'), /BEGIN PGP PUBLIC KEY BLOCK/);
    assert.equal(statSync(path).mode & 0o777, 0o700);
  });

  test('is never overwritten', async () => {
    const before = readFileSync(join(path, 'public.asc'), 'utf8');
    await assert.rejects(keyringCreation(registry.context(CREATION), CREATION), { reason: 'already-there' });
    assert.equal(readFileSync(join(path, 'public.asc'), 'utf8'), before);
  });

  test('signs what gpgv verifies, in every form, and leaves no agent behind', async () => {
    const signer = openSigner(registry.context(CREATION));
    const file = (name: string): string => join(registry.home, name);
    const text = 'Origin: Example\n- dash\n\nbehind a blank line\n';
    const signed = await signer.signText(Promise.resolve(text));
    writeFileSync(file('in'), signed.inline);
    writeFileSync(file('text'), text);
    writeFileSync(file('gpg'), signed.detached);
    await assert.rejects(signer.signText(Promise.resolve('blanks at the end  \n')), /signed once for both/);
    writeFileSync(file('data'), 'some data\n');
    writeFileSync(file('asc'), await signer.detach('some data\n', true));
    writeFileSync(file('sig'), await signer.detach('some data\n', false));
    const keyring = join(path, 'public.gpg');
    gpgv(keyring, file('in'));
    gpgv(keyring, file('gpg'), file('text'));
    gpgv(keyring, file('asc'), file('data'));
    gpgv(keyring, file('sig'), file('data'));
    assert.match(readFileSync(file('asc'), 'utf8'), /BEGIN PGP SIGNATURE/);
    // One for all signatures; who started it may have gone no sooner than now.
    await until(() => agentsBelow(signer.home).length === 1);
    await signer.close();
    await agentsGone(signer.home);
    assert.deepEqual(readdirSync(registry.settings.dirs.run), []);
  });

  test('a task that is cancelled before gpg starts leaves nothing unheard', async () => {
    const cancelled = new Fault('cancelled', 'cancelled', 'cancelled by jane');
    const context = { ...registry.context(CREATION), runTool: () => Promise.reject(cancelled) };
    const [unused, used] = [openSigner(context), openSigner(context)];
    unused.getReady();
    used.getReady();
    await assert.rejects(used.signText(Promise.reject(cancelled)), cancelled);
    await unused.close();
    await used.close();
    // What nobody heard would end the process now.
    await new Promise(resolve => setImmediate(resolve));
  });

  test('is renewed with a new end for both keys, readable at every moment', async () => {
    const spec = { type: 'keyring-renewal', duration: '2w' } as const;
    const end = (): number => Math.floor(Date.now() / 1000) + 14 * 86_400;
    const earliest = end();
    await keyringRenewal(registry.context(spec), spec);
    const info = readKeyring(path);
    for (const expires of [info?.master.expires ?? 0, info?.subkey.expires ?? 0])
      assert.ok(earliest <= expires && expires <= end(), `${earliest} ${expires} ${end()}`);
    const never = { type: 'keyring-renewal', duration: '0' } as const;
    await keyringRenewal(registry.context(never), never);
    assert.equal(readKeyring(path)?.subkey.expires, 0);
    assert.deepEqual(
      readdirSync(registry.settings.dirs.keyring).filter(name => name.startsWith('.default.')).length <= 2,
      true,
    );
  });

  test('an unreadable duration is refused', async () => {
    for (const duration of ['', '1h', '-1', '1 y', 'y']) {
      const spec = { type: 'keyring-renewal', duration } as const;
      await assert.rejects(keyringRenewal(registry.context(spec), spec), { reason: 'bad-input' }, duration);
    }
  });
});

describe('a keyring whose renewal is killed', () => {
  const kills = scaled(100, 0.04);
  test(`signs by the old key or the new one after each of ${kills} kills (seed ${SEED})`, async () => {
    const home = mkdtempSync(join(tmpdir(), 'rw-renew-'));
    let registry = openRegistry({ home });
    await makeKeyring(registry);
    registry.close();
    const dice = random(SEED);
    for (let kill = 0; kill < kills; kill++) {
      const days = await renewAndKill(home, 50 + dice() * 1500);
      registry = openRegistry({ home });
      const path = keyringPath(registry.settings.dirs.keyring, 'default');
      const end = readKeyring(path)?.subkey.expires ?? Number.NaN;
      const lasts = (end - Date.now() / 1000) / 86_400;
      // What was answered holds, and the one under way when the kill came may.
      if (days > 0)
        assert.ok(lasts > days - 0.1 && lasts < days + 1.1, `${days} days were answered: ${lasts}`);
      assert.match(readFileSync(join(path, 'public.asc'), 'utf8'), /BEGIN[\s\S]*END PGP PUBLIC KEY BLOCK/);
      const signer = openSigner(registry.context(CREATION));
      const { inline } = await signer.signText(Promise.resolve('signed after a kill\n'));
      await signer.close();
      writeFileSync(join(home, 'signed'), inline);
      gpgv(join(path, 'public.gpg'), join(home, 'signed'));
      registry.close();
    }
    rmSync(home, { recursive: true, force: true });
  });
});

/** Kills a renewing process after some milliseconds; answers the duration that it acknowledged last, 0 for none. */
async function renewAndKill(home: string, delay: number): Promise<number> {
  const child = spawn(process.execPath, [RENEWER, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = 0;
  const reader = createInterface({ input: child.stdout });
  reader.on('line', line => {
    if (line === 'open') setTimeout(() => child.kill('SIGKILL'), delay);
    else last = Number(line);
  });
  await once(child, 'close');
  assert.equal(child.signalCode, 'SIGKILL', 'the program ended by itself');
  return last;
}

test('the home of a process that is gone is swept, and kept while a gpg of it still writes there', async () => {
  const base = mkdtempSync(join(tmpdir(), 'rw-sweep-'));
  const gone = spawn('true');
  await once(gone, 'close');
  const home = join(base, `k-${gone.pid}-abcdef`);
  const gpg = spawn('sh', ['-c', 'while :; do mkdir -p "$0"; n=$((n + 1)); true > "$0/$n"; done 2>&-', home]);
  try {
    for (let round = 0; round < 50; round++) {
      await until(() => existsSync(home));
      sweepHomes(base);
    }
  } finally {
    gpg.kill('SIGKILL');
    await once(gpg, 'close');
  }
  sweepHomes(base);
  assert.deepEqual(readdirSync(base), []);
  rmSync(base, { recursive: true });
});

test('keys whose gpg fails are tried once more, and what was half made is never taken into use', async () => {
  const registry = openRegistry();
  const context = registry.context(CREATION);
  const path = keyringPath(registry.settings.dirs.keyring, 'default');
  /** Gives gpg an agent that ends at once, so many times. */
  const failing = (times: number): TaskContext => {
    let left = times;
    const runTool: TaskContext['runTool'] = (command, options) => {
      const cut = command.includes('--generate-key') && left-- > 0;
      return context.runTool(cut ? [...command, '--agent-program', '/bin/false'] : command, options);
    };
    return { ...context, runTool };
  };
  await assert.rejects(keyringCreation(failing(2), CREATION), { reason: 'signing-failed', message: /agent/ });
  assert.equal(readKeyring(path), null);
  await keyringCreation(failing(1), CREATION);
  assert.match(readKeyring(path)?.userid ?? '', /Example team/);
  assert.match(registry.log.join('\n'), /warning: gpg --generate-key failed: .*agent.*, trying once more/);
  registry.close();
});

test('a keyring bears the name of its owner, whatever the letters, and lasts for as long as was asked', async () => {
  const registry = openRegistry({ keyring: { expires: 86_400 } });
  const context = registry.context(CREATION);
  const gpg = { name: '# Zoë: %no-protection <x> 50%', email: 'zoë+a@example.org' };
  const earliest = Math.floor(Date.now() / 1000) + 86_400;
  await keyringCreation(
    { ...context, job: { ...context.job, instance: { ...registry.instance, gpg } } },
    CREATION,
  );
  const latest = Math.floor(Date.now() / 1000) + 86_400;
  const info = readKeyring(keyringPath(registry.settings.dirs.keyring, 'default'));
  assert.equal(info?.userid, `${gpg.name} <${gpg.email}>`);
  for (const { expires } of [info.master, info.subkey])
    assert.ok(earliest <= expires && expires <= latest, `${earliest} ${expires} ${latest}`);
  registry.close();
});

describe('a key that has expired', () => {
  const registry = openRegistry({ keyring: { expires: 2 } });
  after(() => registry.close());

  test('signs nothing, and is renewed', async () => {
    await makeKeyring(registry);
    const path = keyringPath(registry.settings.dirs.keyring, 'default');
    // By the clock that keys go by, however it is set meanwhile.
    await until(() => Date.now() / 1000 >= (readKeyring(path)?.subkey.expires ?? Number.NaN));
    assert.throws(() => openSigner(registry.context(CREATION)), { reason: 'key-expired' });
    const spec = { type: 'keyring-renewal', duration: '1y' } as const;
    await keyringRenewal(registry.context(spec), spec);
    const signer = openSigner(registry.context(CREATION));
    assert.ok((await signer.signText(Promise.resolve('text\n'))).inline.length > 0);
    signer.close();
  });

  test('an instance without keys says so', () => {
    const other = openRegistry({ instance: 'other' });
    assert.throws(() => openSigner(other.context(CREATION)), { reason: 'no-keyring' });
    assert.ok(!existsSync(keyringPath(other.settings.dirs.keyring, 'other')));
    other.close();
  });
});
