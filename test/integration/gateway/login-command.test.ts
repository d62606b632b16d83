/** `rackwright login` against a gateway: device code, loopback, directory password; the token it keeps. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Jar } from '../../support/gateway.ts';
import { oidcIni, withGateway } from '../../support/oidc-sign-in.ts';
import { ScriptedProvider } from '../../support/scripted-provider.ts';
import { startSlapd } from '../../support/slapd.ts';
import { makeAuthority } from '../../support/tls.ts';

const main = fileURLToPath(new URL('../../../edge/cli/main.ts', import.meta.url));
const provider = new ScriptedProvider();
before(() => provider.open());
after(() => provider.close());

interface Run {
  readonly status: number | null;
  readonly stderr: string;
  /** Names and contents of the saved tokens. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly modes: readonly number[];
}

/** Runs the command in a home of its own; `onText` sees what it has written so far. */
async function run(
  words: readonly string[],
  input: string,
  onText: (text: string) => void = () => {},
): Promise<Run> {
  const home = mkdtempSync(join(tmpdir(), 'rackwright-login-'));
  try {
    const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const child = spawn(process.execPath, [main, 'login', ...words], { env });
    let stderr = '';
    child.stderr.on('data', data => {
      stderr += data;
      onText(stderr);
    });
    child.stdin.end(input);
    const status = await new Promise<number | null>(resolve => child.once('close', resolve));
    const files = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name.endsWith('.token'))
      .map(entry => join(entry.parentPath, entry.name));
    const tokens = Object.fromEntries(
      files.map(file => {
        const name = file.slice(file.lastIndexOf('/') + 1, -'.token'.length);
        return [Buffer.from(name, 'base64url').toString(), readFileSync(file, 'utf8').trim()];
      }),
    );
    return { status, stderr, tokens, modes: files.map(file => statSync(file).mode & 0o777) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function loginOf(url: string, token: string | undefined): Promise<unknown> {
  const who = await fetch(`${url}/api/whoami`, { headers: { authorization: `Bearer ${token}` } });
  return ((await who.json()) as { login?: string }).login;
}

test('without a device flow a browser on this machine signs in, and the token is kept for the server', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    let sent = false;
    const server = 'https://build.test/default';
    const { status, stderr, tokens, modes } = await run([gateway.url, '--uri', server], '', text => {
      const url = /^ {2}(http\S+)\n/m.exec(text)?.[1];
      if (sent || !url) return;
      sent = true;
      const jar = new Jar();
      void (async () => {
        const begun = await jar.get(url);
        const back = await jar.get(begun.headers.get('location') ?? '');
        const { search } = new URL(back.headers.get('location') ?? '');
        const landed = await jar.get(`${gateway.url}/api/oidc/callback${search}`);
        await fetch(landed.headers.get('location') ?? '');
      })();
    });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /Signed in as alice for https:\/\/build\.test\/default; the token expires /);
    assert.deepEqual(Object.keys(tokens), [server]);
    assert.deepEqual(modes, [0o600]);
    assert.equal(await loginOf(gateway.url, tokens[server]), 'alice');
  });
});

test('with a device flow a code is confirmed elsewhere', async () => {
  let polls = 0;
  provider.device = { after: () => ++polls > 1 };
  await withGateway(oidcIni(provider), async gateway => {
    const { status, stderr, tokens } = await run([gateway.url], '');
    assert.equal(status, 0, stderr);
    assert.match(stderr, /Confirm the code ABCD-EFGH at\n {2}http.*\/device\?user_code=ABCD-EFGH\n/);
    assert.equal(await loginOf(gateway.url, tokens[gateway.url]), 'alice');
    assert.equal(polls, 2);
  });
  provider.device = null;
});

test('with a directory the password is read from standard input, and a wrong one is told', async () => {
  const authority = await makeAuthority();
  const slapd = await startSlapd(authority);
  const ini = {
    agents: { url: 'http://127.0.0.1:1' },
    authentication: { enabled: 'yes', method: 'ldap' },
    ldap: { uri: slapd.ldap, user_base: 'ou=people,dc=corp,dc=org', group_base: 'ou=groups,dc=corp,dc=org' },
  };
  try {
    await withGateway(ini, async gateway => {
      const right = await run([gateway.url, '--user', 'alice'], 'pw-alice\n');
      assert.equal(right.status, 0, right.stderr);
      assert.equal(await loginOf(gateway.url, right.tokens[gateway.url]), 'alice');
      const wrong = await run([gateway.url, '--user', 'alice'], 'wrong\n');
      assert.equal(wrong.status, 1);
      assert.match(wrong.stderr, /Invalid user or password/);
      assert.deepEqual(wrong.tokens, {});
      assert.equal((await run([gateway.url, '--user', 'alice'], '')).status, 1);
    });
  } finally {
    await slapd.close();
    authority.close();
  }
});

test('an address that is no gateway, and one that nobody answers at, are told apart', async () => {
  assert.equal((await run(['nonsense'], '')).status, 2);
  const dead = await run(['http://127.0.0.1:1'], '');
  assert.equal(dead.status, 1);
  assert.match(dead.stderr, /127\.0\.0\.1:1 can't be reached/);
});
