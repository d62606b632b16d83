/** The instance's keys: made once, renewed safely, used to sign. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { keyringCreation, keyringRenewal } from '../../../workers/jobs/keyring.ts';
import { keyringPath, readKeyring } from '../../../workers/registry/keyring.ts';
import { openSigner } from '../../../workers/registry/signing.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';

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

  test('signs what gpgv verifies, in three forms, and leaves no agent behind', async () => {
    const signer = openSigner(registry.context(CREATION));
    const file = (name: string): string => join(registry.home, name);
    writeFileSync(file('in'), await signer.clearSign('Origin: Example\n- dash\ntrailing  \n'));
    writeFileSync(file('data'), 'some data\n');
    writeFileSync(file('asc'), await signer.detach('some data\n', true));
    writeFileSync(file('sig'), await signer.detach('some data\n', false));
    const keyring = join(path, 'public.gpg');
    gpgv(keyring, file('in'));
    gpgv(keyring, file('asc'), file('data'));
    gpgv(keyring, file('sig'), file('data'));
    assert.match(readFileSync(file('asc'), 'utf8'), /BEGIN PGP SIGNATURE/);
    const agent = agentPids(signer.home);
    assert.equal(agent.length, 1);
    signer.close();
    await waitUntil(() => agentPids(signer.home).length === 0);
    assert.deepEqual(readdirSync(registry.settings.dirs.run), []);
  });

  test('is renewed with a new end for both keys, readable at every moment', async () => {
    const spec = { type: 'keyring-renewal', duration: '2w' } as const;
    await keyringRenewal(registry.context(spec), spec);
    const info = readKeyring(path);
    const end = Date.now() / 1000 + 14 * 86_400;
    assert.ok(info && Math.abs(info.master.expires - end) < 60 && Math.abs(info.subkey.expires - end) < 60);
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

describe('a key that has expired', () => {
  const registry = openRegistry({ keyring: { expires: 2 } });
  after(() => registry.close());

  test('signs nothing, and is renewed', async () => {
    await makeKeyring(registry);
    await new Promise(resolve => setTimeout(resolve, 2500));
    assert.throws(() => openSigner(registry.context(CREATION)), { reason: 'key-expired' });
    const spec = { type: 'keyring-renewal', duration: '1y' } as const;
    await keyringRenewal(registry.context(spec), spec);
    const signer = openSigner(registry.context(CREATION));
    assert.ok((await signer.clearSign('text\n')).length > 0);
    signer.close();
  });

  test('an instance without keys says so', () => {
    const other = openRegistry({ instance: 'other' });
    assert.throws(() => openSigner(other.context(CREATION)), { reason: 'no-keyring' });
    assert.ok(!existsSync(keyringPath(other.settings.dirs.keyring, 'other')));
    other.close();
  });
});

function agentPids(home: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words[0]?.endsWith('gpg-agent') && words.includes(home);
      } catch {
        return false;
      }
    });
}

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (condition()) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  assert.fail('it did not happen within 5 s');
}
