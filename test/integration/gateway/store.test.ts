/** The session store, in files and in a real Redis: one taker, one claimer, an end to every record. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '../../../edge/gateway/open-store.ts';
import { FileStore, type SessionStore } from '../../../edge/gateway/store.ts';
import { Fault } from '../../../proto/fault.ts';
import { oidcIni, signIn, withGateway } from '../../support/oidc-sign-in.ts';
import { ScriptedProvider } from '../../support/scripted-provider.ts';
import { freePort, until } from '../../support/until.ts';

/** What both stores promise; `two` reads and writes the same records as `one`. */
async function promises(one: SessionStore, two: SessionStore): Promise<void> {
  const key = { kind: 'handoff', id: 'a'.repeat(43) } as const;
  await one.put(key, Buffer.from('first'), 60);
  await two.put(key, Buffer.from('second\0\r\n'), 60);
  assert.equal((await one.read(key))?.toString(), 'second\0\r\n');
  const takes = await Promise.all(Array.from({ length: 40 }, (_, at) => (at % 2 ? one : two).take(key)));
  assert.equal(takes.filter(value => value !== null).length, 1);
  assert.equal(await two.read(key), null);

  const claim = { kind: 'state', id: 'b' } as const;
  const claims = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 ? one : two).claim(claim, 60)),
  );
  assert.equal(claims.filter(Boolean).length, 1);

  await one.put({ kind: 'token', group: 'g', id: 'x' }, Buffer.from('1'), 60);
  await two.put({ kind: 'token', group: 'g', id: 'y' }, Buffer.from('2'), 60);
  await one.put({ kind: 'token', group: 'other', id: 'z' }, Buffer.from('3'), 60);
  assert.deepEqual((await one.list('token', 'g')).sort(), ['x', 'y']);
  await two.remove({ kind: 'token', group: 'g', id: 'x' });
  await two.remove({ kind: 'token', group: 'g', id: 'x' });
  assert.deepEqual(await one.list('token', 'g'), ['y']);
  assert.deepEqual(await one.list('token', 'nobody'), []);
}

test('files: one of any readers takes a record, one claims it, groups are listed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-store-'));
  try {
    await promises(
      openStore(`file:${folder}/sessions`, Date.now),
      openStore(`file:${folder}/sessions`, Date.now),
    );
    assert.equal(statSync(join(folder, 'sessions/token/g/y')).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'sessions/token')).mode & 0o777, 0o700);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('files: what is past its life is not there, and is swept, and names are ours only', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-store-'));
  try {
    let now = 1_700_000_000_000;
    const store = new FileStore(folder, () => now);
    const key = { kind: 'session', group: 'g', id: 'x' } as const;
    await store.put(key, Buffer.from('1'), 60);
    await store.claim({ kind: 'state', id: 's' }, 60);
    now += 59_000;
    assert.ok(await store.read(key));
    now += 2000;
    assert.equal(await store.read(key), null);
    assert.equal(await store.take(key), null);
    await store.put(key, Buffer.from('2'), 1);
    now += 120_000;
    await store.sweep();
    const left = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry =>
      entry.isFile(),
    );
    assert.deepEqual(left, []);
    await assert.rejects(store.read({ kind: 'token', id: '../../etc/passwd' }), TypeError);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('redis: the same promises, after a restart of the server too, and a sign-in through it', async () => {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-redis-'));
  const start = async () => {
    const child = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', 'p@ss', '--save', '', '--dir', folder],
      { stdio: 'ignore' },
    );
    const ended = new Promise<void>(resolve => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    return async () => {
      child.kill('SIGTERM');
      await ended;
    };
  };
  let stop = await start();
  const uri = `redis://:${encodeURIComponent('p@ss')}@127.0.0.1:${port}/1`;
  const [one, two] = [openStore(uri, Date.now), openStore(uri, Date.now)];
  try {
    await reachable(one);
    await promises(one, two);
    await one.put({ kind: 'note', id: 'short' }, Buffer.from('x'), 0.05);
    await pause(80);
    assert.equal(await two.read({ kind: 'note', id: 'short' }), null);
    await stop();
    await assert.rejects(one.read({ kind: 'note', id: 'x' }), error => {
      assert.ok(error instanceof Fault && error.kind === 'unavailable');
      assert.match(error.message, /the session store can't be reached/);
      return true;
    });
    stop = await start();
    await reachable(one);
    const big = Buffer.alloc(512 * 1024, 'x');
    await one.put({ kind: 'note', id: 'big' }, big, 60);
    assert.ok((await two.read({ kind: 'note', id: 'big' }))?.equals(big));
    const provider = new ScriptedProvider();
    await provider.open();
    await withGateway(oidcIni(provider, { service: { session_store: uri } }), async gateway => {
      const { token } = await signIn(gateway);
      const headers = { authorization: `Bearer ${token}` };
      assert.equal(
        ((await (await fetch(`${gateway.url}/api/sessions`, { headers })).json()) as unknown[]).length,
        1,
      );
      await fetch(`${gateway.url}/api/logout`, { method: 'POST', headers });
      assert.equal((await fetch(`${gateway.url}/api/whoami`, { headers })).status, 401);
    });
    await provider.close();
    const wrong = openStore(`redis://:wrong@127.0.0.1:${port}`, Date.now);
    await assert.rejects(wrong.read({ kind: 'note', id: 'x' }), /NOAUTH|WRONGPASS/);
    wrong.close();
  } finally {
    one.close();
    two.close();
    await stop();
    rmSync(folder, { recursive: true });
  }
});

async function reachable(store: SessionStore): Promise<void> {
  const answers = (): Promise<boolean> =>
    store.read({ kind: 'note', id: 'there' }).then(
      () => true,
      () => false,
    );
  await until(answers).catch(cause => {
    throw new Error('Redis does not answer: is the package redis-server installed?', { cause });
  });
}
