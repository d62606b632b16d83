/** Sign-in and the check utility against a real slapd: plain, StartTLS, LDAPS, both group schemas, many users. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Directory } from '../../../edge/gateway/directory.ts';
import { gatewaySchema } from '../../../edge/gateway/schema.ts';
import { readSettings } from '../../../systemd/settings.ts';
import {
  type Home,
  type Ini,
  makeHome,
  mergeIni,
  type RunningGateway,
  startGateway,
} from '../../support/gateway.ts';
import { type Slapd, startSlapd } from '../../support/slapd.ts';
import { type Authority, makeAuthority } from '../../support/tls.ts';

const main = fileURLToPath(new URL('../../../edge/cli/main.ts', import.meta.url));
const CROWD = 5000;
let authority: Authority;
let slapd: Slapd;
before(async () => {
  authority = await makeAuthority();
  slapd = await startSlapd(authority);
});
after(async () => {
  await slapd.close();
  authority.close();
});

function ini(ldap: Record<string, string | undefined> = {}): Ini {
  return {
    agents: { url: 'http://127.0.0.1:1' },
    authentication: { enabled: 'yes', method: 'ldap' },
    ldap: {
      uri: slapd.ldap,
      user_base: 'ou=people,dc=corp,dc=org',
      group_base: 'ou=groups,dc=corp,dc=org',
      ...ldap,
    },
  };
}

async function withGateway(
  settings: Ini,
  run: (gateway: RunningGateway, home: Home) => Promise<void>,
): Promise<void> {
  const home = makeHome(settings);
  let gateway: RunningGateway | null = null;
  try {
    gateway = await startGateway(home);
    await run(gateway, home);
  } finally {
    await gateway?.close();
    home.close();
  }
}

async function login(gateway: RunningGateway, user: unknown, password: unknown) {
  const answer = await fetch(`${gateway.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user, password }),
  });
  const body = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, body, headers: answer.headers };
}

const SERVICE = { bind_dn: 'cn=admin,dc=corp,dc=org', bind_password: 'secret' };
const ways: readonly (readonly [string, () => Record<string, string | undefined>])[] = [
  ['plainly, searching anonymously', () => ({})],
  ['with StartTLS', () => ({ starttls: 'yes', cacert: join(authority.folder, 'ca.pem') })],
  ['with LDAPS', () => ({ uri: slapd.ldaps, cacert: join(authority.folder, 'ca.pem') })],
  ['with a service account', () => SERVICE],
  ['with a service account, reading as the user', () => ({ ...SERVICE, lookup_as_user: 'yes' })],
  ['with a composed name instead of a search', () => ({ lookup_user_dn: 'no' })],
  [
    'by an address instead of a name',
    () => ({ uri: slapd.ldaps.replace('localhost', '127.0.0.1'), cacert: join(authority.folder, 'ca.pem') }),
  ],
];
for (const [name, settings] of ways) {
  test(`people sign in ${name}`, () =>
    withGateway(ini(settings()), async gateway => {
      const { status, body } = await login(gateway, 'alice', 'pw-alice');
      assert.equal(status, 200, JSON.stringify(body));
      const { token, ...rest } = body;
      assert.deepEqual(rest, {
        result: 'Authentication successful',
        login: 'alice',
        fullname: 'Alice Test',
        groups: ['admin', 'users'],
      });
      const who = await fetch(`${gateway.url}/api/whoami`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(who.status, 200);
      assert.deepEqual((await login(gateway, 'carol', 'pw-carol')).body.groups, ['users', 'biology']);
    }));
}

test('debugging logs each request to the directory, and no password', () =>
  withGateway(mergeIni(ini(SERVICE), { service: { debug: 'yes', debug_flags: 'ldap' } }), async gateway => {
    assert.equal((await login(gateway, 'alice', 'pw-alice')).status, 200);
    const sentences = gateway.log.map(({ sentence }) => sentence).join('\n');
    assert.match(sentences, /^debug: ldap: bind dn="cn=admin,dc=corp,dc=org"$/m);
    assert.match(sentences, /^debug: ldap: .*\(uid=alice\).*: 1 entries$/m);
    assert.doesNotMatch(sentences, /pw-alice|secret|debug: slurmweb/);
  }));

test('the directory’s spelling of a name is used, so letter case loses no group', () =>
  withGateway(ini(), async gateway => {
    const { body } = await login(gateway, 'ALICE', 'pw-alice');
    assert.equal(body.login, 'alice');
    assert.deepEqual(body.groups, ['admin', 'users']);
  }));

test('unknown users, wrong passwords and injected filters get the same answer', () =>
  withGateway(ini(), async gateway => {
    for (const [user, password] of [
      ['alice', 'wrong'],
      ['nobody', 'pw-alice'],
      ['*', 'pw-alice'],
      ['alice)(uid=*', 'pw-alice'],
      ['alice\0', 'pw-alice'],
      ['alice,ou=people', 'pw-alice'],
    ] as const) {
      const { status, body } = await login(gateway, user, password);
      assert.deepEqual([status, body.description], [401, 'Invalid user or password'], user);
    }
    assert.ok(!JSON.stringify(gateway.log).includes('pw-alice'), 'a password stands in the log');
  }));

test('an empty password, or none, never reaches the directory', async () => {
  let connections = 0;
  const tap = net.createServer(socket => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>(resolve => tap.listen(0, '127.0.0.1', resolve));
  const { port } = tap.address() as net.AddressInfo;
  await withGateway(ini({ uri: `ldap://127.0.0.1:${port}` }), async gateway => {
    for (const [user, password] of [
      ['alice', ''],
      ['', 'x'],
      ['alice', undefined],
      [['alice'], 'x'],
      ['alice', null],
      [7, 7],
    ]) {
      assert.equal((await login(gateway, user, password)).status, 400);
    }
    assert.equal(connections, 0);
    assert.equal((await login(gateway, 'alice', 'x')).status, 503);
    assert.ok(connections > 0);
  });
  tap.close();
});

test('restricted groups keep others out without a token', () =>
  withGateway(ini({ restricted_groups: 'biology\nphysics' }), async gateway => {
    const refused = await login(gateway, 'alice', 'pw-alice');
    assert.deepEqual(
      [refused.status, refused.body.description],
      [401, 'User alice is not member of restricted groups'],
    );
    const { token } = (await login(gateway, 'dave', 'pw-dave')).body;
    const users = await fetch(`${gateway.url}/api/users`, { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual(await users.json(), [
      { login: 'carol', fullname: 'Carol Test' },
      { login: 'dave', fullname: 'Dave Test' },
    ]);
  }));

test('guessing is slowed per user, and the answer says for how long', () =>
  withGateway(ini(), async gateway => {
    const guesses = [];
    for (let count = 0; count < 7; count += 1)
      guesses.push((await login(gateway, count % 2 ? 'bob' : 'BOB', 'x')).status);
    assert.deepEqual(guesses, [401, 401, 401, 401, 401, 429, 429]);
    const right = await login(gateway, 'bob', 'pw-bob');
    assert.equal(right.status, 429);
    assert.match(right.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await login(gateway, 'alice', 'pw-alice')).status, 200, 'another user is not concerned');
  }));

test('parallel guesses count before their answers are known', () =>
  withGateway(ini(), async gateway => {
    const all = await Promise.all(Array.from({ length: 20 }, () => login(gateway, 'dave', 'x')));
    assert.equal(all.filter(one => one.status === 401).length, 5);
  }));

test('OIDC settings leave LDAP sign-in at 501', async () => {
  await withGateway({ agents: { url: 'http://127.0.0.1:1' } }, async gateway => {
    assert.equal((await login(gateway, 'alice', 'pw-alice')).status, 501);
  });
});

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function check(settings: Ini, ...words: string[]): Promise<Run> {
  const home = makeHome(settings);
  try {
    const child = spawn(process.execPath, [main, 'ldap-check', '--conf', home.conf, ...words]);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', data => {
      stdout += data;
    });
    child.stderr.on('data', data => {
      stderr += data;
    });
    const status = await new Promise<number | null>(resolve => child.once('close', resolve));
    return { status, stdout, stderr };
  } finally {
    home.close();
  }
}

test('ldap-check prints the users in the directory’s order', async () => {
  const { status, stdout, stderr } = await check(ini(SERVICE));
  assert.equal(
    stdout,
    `Found 4 user(s) in LDAP directory:
- alice (Alice Test) [admin, users]
- bob (Bob Test) [users]
- carol (Carol Test) [users, biology]
- dave (Dave Test) [users, biology]
`,
  );
  assert.deepEqual([status, stderr], [0, '']);
});

test('ldap-check shows missing full names, empty groups and what is left out', async () => {
  const group_object_classes = 'groupOfNames';
  const named = await check(ini({ user_fullname_attribute: 'displayName', group_object_classes }));
  assert.match(named.stdout, /- alice \(∅\) \[\]\n/);
  assert.match(named.stdout, /- carol \(Carol C\.\) \[biology\]\n/);
  const restricted = await check(ini({ restricted_groups: 'admin' }));
  assert.equal(
    restricted.stdout,
    'Found 1 user(s) in LDAP directory:\n- alice (Alice Test) [admin, users]\n',
  );
  assert.match(restricted.stderr, /3 user\(s\)/);
  const none = await check(ini({ user_base: 'ou=empty,dc=corp,dc=org' }));
  assert.equal(none.stdout, 'No user found in LDAP directory.\n');
  const nested = await check(ini({ nested_groups: 'yes' }));
  assert.match(nested.stdout, /- carol \(Carol Test\) \[users, biology, science\]\n/);
  const groupless = await check(ini({ group_base: 'ou=empty,dc=corp,dc=org' }));
  assert.equal(groupless.status, 0);
  assert.match(groupless.stderr, /no group found below ou=empty/);
});

test('ldap-check --debug shows requests and results, never a password, and honours flags', async () => {
  const secure = { ...SERVICE, starttls: 'yes', cacert: join(authority.folder, 'ca.pem') };
  const all = await check(ini(secure), '--debug');
  assert.match(all.stderr, /debug: ldap: bind dn="cn=admin,dc=corp,dc=org"/);
  assert.match(
    all.stderr,
    /search base="ou=people,dc=corp,dc=org" scope=sub filter=\(objectClass=posixAccount\) .*: 4 entries/,
  );
  assert.match(all.stderr, /debug: tls: /);
  assert.ok(!all.stderr.includes('secret'));
  assert.equal(all.stderr.match(/search base/g)?.length, 2, 'two searches, whatever the number of users');
  const flagged = await check(ini(secure), '--debug', '--debug-flags', 'tls', 'urllib3');
  assert.ok(!flagged.stderr.includes('debug: ldap'));
  assert.match(flagged.stderr, /debug: tls/);
  assert.equal((await check(ini(), '--debug-flags', 'nonsense')).status, 2);
});

test('ldap-check tells what is wrong in one line', async () => {
  const cases: readonly (readonly [Record<string, string | undefined>, RegExp])[] = [
    [
      { uri: 'ldap://127.0.0.1:1' },
      /^LDAP error: LDAP server ldap:\/\/127\.0\.0\.1:1 is unreachable: .*ECONNREFUSED.*\n$/,
    ],
    [{ uri: slapd.ldaps }, /^LDAP error: LDAP server ldaps:\/\/localhost:\d+ is unreachable: .*\n$/],
    [{ starttls: 'yes' }, /^LDAP error: Unable to connect to LDAP server with STARTTLS: .*\n$/],
    [
      { user_base: 'ou=nowhere,dc=corp,dc=org' },
      /^LDAP error: Unable to find user base ou=nowhere,dc=corp,dc=org\n$/,
    ],
    [
      { group_base: 'ou=nowhere,dc=corp,dc=org' },
      /^LDAP error: Unable to find group base ou=nowhere,dc=corp,dc=org\n$/,
    ],
    [{ ...SERVICE, bind_password: 'wrong' }, /^LDAP error: Invalid bind DN or password\n$/],
    [
      { bind_dn: SERVICE.bind_dn },
      /^LDAP error: Password to authenticate with bind DN cn=admin,dc=corp,dc=org is required\n$/,
    ],
    [{ user_name_attribute: 'mail' }, /^LDAP error: Unable to extract user mail from user entries\n$/],
    [{ user_fullname_attribute: 'title' }, /^LDAP error: Unable to extract user title from user entries\n$/],
    [{ group_name_attribute: 'ou' }, /^LDAP error: Unable to extract group ou from group entries\n$/],
  ];
  for (const [settings, expected] of cases) {
    const { status, stdout, stderr } = await check(ini(settings));
    assert.deepEqual([status, stdout], [1, ''], JSON.stringify(settings));
    assert.match(stderr, expected);
  }
  const undefinedUri = await check(mergeIni(ini(), { ldap: { uri: undefined } }));
  assert.deepEqual(undefinedUri, {
    status: 1,
    stdout: '',
    stderr: 'LDAP directory URI is not defined in configuration, exiting\n',
  });
});

test('StartTLS refused by the server never falls back to clear text', async () => {
  // A directory that knows no StartTLS: it answers the extended request with protocolError.
  const seen: Buffer[] = [];
  const clear = net.createServer(socket => {
    socket.on('data', data => {
      seen.push(data);
      const id = data[4] ?? 1;
      socket.write(
        Buffer.from([0x30, 0x0c, 0x02, 0x01, id, 0x78, 0x07, 0x0a, 0x01, 0x02, 0x04, 0x00, 0x04, 0x00]),
      );
    });
    socket.on('error', () => {});
  });
  await new Promise<void>(resolve => clear.listen(0, '127.0.0.1', resolve));
  const { port } = clear.address() as net.AddressInfo;
  const { stderr, status } = await check(
    ini({ ...SERVICE, uri: `ldap://127.0.0.1:${port}`, starttls: 'yes' }),
  );
  clear.close();
  assert.equal(status, 1);
  assert.match(stderr, /^LDAP error: Unable to connect to LDAP server with STARTTLS: /);
  assert.ok(!Buffer.concat(seen).includes('secret'), 'the password was sent in clear text');
});

test('five thousand users come page by page past the server’s limit, which is told where it holds', async () => {
  const crowded = await startSlapd(authority, { crowd: CROWD });
  try {
    const home = makeHome({});
    writeFileSync(
      home.conf,
      `[ldap]\n${Object.entries(ini({ uri: crowded.ldap }).ldap ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join('\n')}\n`,
    );
    const { settings } = readSettings(gatewaySchema(home.places), { files: [home.conf] });
    const { people } = await new Directory(settings.ldap, null).list();
    assert.equal(people.length, CROWD + 4);
    assert.equal(people.at(-1)?.login, `user${CROWD - 1}`);
    assert.ok(readFileSync(home.conf, 'utf8').includes('ldap://'));
    home.close();
  } finally {
    await crowded.close();
  }
  const limited = await startSlapd(authority, { crowd: 600, limit: 'sizelimit 500' });
  try {
    const { status, stderr } = await check(ini({ uri: limited.ldap }));
    assert.deepEqual([status, stderr], [1, 'LDAP error: LDAP server size limit exceeded\n']);
  } finally {
    await limited.close();
  }
});

/** A directory that answers every bind with this result code, as others do for accounts that are locked or disabled. */
async function refusing(code: number): Promise<net.Server> {
  const server = net.createServer(socket => {
    socket.on('error', () => undefined);
    socket.on('data', request => {
      if (request[5] !== 0x60) return;
      const result = Buffer.from([0x0a, 1, code, 0x04, 0, 0x04, 0]);
      const answer = Buffer.from([2, 1, request[4] ?? 1, 0x61, result.length, ...result]);
      socket.write(Buffer.from([0x30, answer.length, ...answer]));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('a locked account is refused as a wrong password is, and counted', async () => {
  for (const code of [19, 48, 53]) {
    const server = await refusing(code);
    const uri = `ldap://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    await withGateway(ini({ uri, lookup_user_dn: 'no' }), async gateway => {
      const seen: number[] = [];
      while (seen.at(-1) !== 429 && seen.length < 100)
        seen.push((await login(gateway, 'ann', 'guess')).status);
      assert.deepEqual([...new Set(seen)], [401, 429], `result code ${code}`);
    });
    server.close();
  }
});
