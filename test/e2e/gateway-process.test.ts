/** The gateway as part of the real processes: its start, its refusal to start, its subcommands, one sign-in for all. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeHome } from '../support/gateway.ts';
import { oidcIni, signIn } from '../support/oidc-sign-in.ts';
import { startPair } from '../support/pair.ts';
import { ScriptedProvider } from '../support/scripted-provider.ts';
import { freePort } from '../support/until.ts';

const main = fileURLToPath(new URL('../../edge/main.ts', import.meta.url));
const provider = new ScriptedProvider();
before(() => provider.open());
after(() => provider.close());

test('on an address shared with the build service each role keeps its own paths, and the edge ends in order', async () => {
  const home = makeHome(oidcIni(provider, { service: { port: '0' } }));
  const root = join(home.places.etc, '..');
  const child = spawn(process.execPath, [main, '--home', root, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  let log = '';
  child.stderr.on('data', data => {
    log += data;
  });
  try {
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      void ended.then(code => reject(new Error(`ended with ${code}: ${log}`)));
    });
    const url = line.replace('listening ', '');
    assert.match(await (await fetch(`${url}/version`)).text(), /^Rackwright v/);
    const version = await fetch(`${url}/api/version`);
    assert.equal(await version.text(), 'Rackwright gateway v0.1.0\n', log);
    assert.equal((await signIn({ url })).login, 'alice');
    const lost = await fetch(`${url}/api/nothing`);
    assert.equal(lost.status, 404);
    assert.deepEqual(Object.keys((await lost.json()) as object), ['code', 'description', 'name']);
    const wrong = await fetch(`${url}/api/logout`);
    assert.equal(wrong.status, 405);
    child.kill('SIGTERM');
    assert.equal(await ended, 0, log);
    assert.ok(!log.includes('s3cr3t') && !log.includes('eyJ'), 'a secret stands in the log');
  } finally {
    child.kill('SIGKILL');
    home.close();
  }
});

test('the edge does not start on what is forbidden, tells all of it, and opens no port', () => {
  const home = makeHome(
    oidcIni(provider, { oidc: { client_secret: undefined, pkce: undefined }, ui: { host: undefined } }),
  );
  rmSync(join(home.places.lib, 'session.key'));
  const run = spawnSync(process.execPath, [main, '--home', join(home.places.etc, '..'), '--port', '0'], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(run.status, 1);
  assert.equal(run.stdout, '');
  const lines = run.stderr
    .trim()
    .split('\n')
    .map(line => line.slice(line.indexOf('[')).replaceAll(home.places.lib, ''));
  assert.deepEqual(lines.map(line => line.split(':')[0]).sort(), [
    '[oidc]>pkce',
    '[service]>session_key',
    '[ui]>host',
  ]);
  assert.ok(!run.stderr.includes('    at '), 'no stack trace');
  home.close();
});

test('keys are made for a fresh home, shown by show-conf, and enough to start', () => {
  const root = mkdtempSync(join(tmpdir(), 'rackwright-fresh-'));
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [main, '--home', root, ...words], { encoding: 'utf8', timeout: 300_000 });
  try {
    assert.equal(run('gen-jwt-key').status, 0);
    assert.equal(run('gen-session-key').status, 0);
    assert.match(readFileSync(join(root, 'lib/jwt.key'), 'utf8'), /^[0-9a-f]{64}$/);
    const again = run('gen-jwt-key');
    assert.equal(again.status, 0);
    assert.match(again.stderr, /exists already/);
    const shown = run('show-conf', 'gateway');
    assert.equal(shown.status, 0);
    assert.match(shown.stdout, /^\[service\]\n {2}interface: localhost \(default\)\n/);
    assert.equal(run('show-conf', 'gateway', '--conf', '/nowhere.ini').status, 1);
    assert.equal(run('gen-jwt-key', '--nonsense').status, 2);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('one sign-in serves the build service too: its policy sees login and groups of the gateway’s token', async () => {
  const port = await freePort();
  const home = makeHome(oidcIni(provider, { service: { port: String(port) } }));
  const { etc, lib } = home.places;
  writeFileSync(join(etc, 'rackwright.ini'), `[tokens]\ngateway_key = ${join(lib, 'jwt.key')}\n`);
  writeFileSync(
    join(etc, 'policy.ini'),
    '[roles]\nanonymous\nkeepers=@admins\n[anonymous]\nactions=view-registry\n[keepers]\nactions=manage-token,view-task\n',
  );
  const pair = await startPair({ home: join(etc, '..') });
  try {
    const { token } = await signIn({ url: `http://127.0.0.1:${port}` });
    const ask = (authorization?: string): Promise<Response> =>
      fetch(`${pair.url}/default/tokens.json`, {
        headers: authorization === undefined ? {} : { authorization },
      });
    assert.equal((await ask()).status, 403);
    const allowed = await ask(`Bearer ${token}`);
    assert.equal(allowed.status, 200, `${await allowed.text()}\n${pair.log()}`);
    provider.behaviour.claims = claims => ({ ...claims, groups: ['biology'] });
    const other = await signIn({ url: `http://127.0.0.1:${port}` });
    assert.equal((await ask(`Bearer ${other.token}`)).status, 403);
    assert.equal((await ask(`Bearer ${token}x`)).status, 403);
  } finally {
    assert.equal(await pair.stop(), 0);
    home.close();
  }
});
