/** gateway.ini: what does not start, why, and what only warns: R68 to R72 and the documented defaults. */
import assert from 'node:assert/strict';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CommandSurroundings, gatewayCommands } from '../../../../edge/gateway/commands.ts';
import { type Gateway, loadGateway } from '../../../../edge/gateway/settings.ts';
import { publicPrefix, redirectUri } from '../../../../edge/gateway/target.ts';
import { parseNetworks } from '../../../../edge/http/networks.ts';
import { showConf } from '../../../../edge/show-conf.ts';
import { SettingsError } from '../../../../systemd/settings.ts';
import { type Home, type Ini, makeHome, mergeIni } from '../../../support/gateway.ts';

const OIDC: Ini = {
  agents: { url: 'http://127.0.0.1:5012' },
  authentication: { enabled: 'yes', method: 'oidc' },
  ui: { host: 'https://h.test/dash' },
  oidc: { issuer: 'https://idp.test', client_id: 'dash', client_secret: 's', pkce: 'S256' },
};

function load<T>(
  ini: Ini,
  look: (gateway: Gateway, home: Home) => T,
  prepare: (home: Home) => void = () => {},
): T {
  const home = makeHome(ini);
  try {
    prepare(home);
    return look(loadGateway(home.conf, home.places, null), home);
  } finally {
    home.close();
  }
}

/** The lines that starting with these changes prints, without the file's folder. */
function faults(changes: Ini, prepare?: (home: Home) => void): string[] {
  try {
    load(mergeIni(OIDC, changes), () => null, prepare);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.message.split('\n').map(line => line.replaceAll(/\/\S*rackwright-gateway-\w+\//g, ''));
  }
  return [];
}

test('the smallest OIDC settings start, with the documented defaults', () => {
  load(OIDC, ({ settings, warnings }) => {
    assert.deepEqual(warnings, []);
    assert.equal(settings.service.port, 5011);
    assert.equal(settings.service.interface, 'localhost');
    assert.equal(settings.oidc.groups_claim, 'groups');
    assert.equal(settings.oidc.subject_claim, 'sub');
    assert.equal(settings.oidc.clock_skew, 60);
    assert.equal(settings.oidc.verify_ssl, true);
    assert.equal(settings.jwt.duration, 1);
    assert.equal(settings.jwt.audience, 'slurm-web');
    assert.equal(settings.agents.timeout, 10);
    assert.deepEqual(settings.ldap.group_object_classes, ['posixGroup', 'groupOfNames']);
    assert.equal(settings.ldap.lookup_as_user, null);
  });
});

test('R68 public-client-without-pkce: does not start', () => {
  const changes = { oidc: { client_secret: undefined, pkce: undefined } };
  assert.deepEqual(faults(changes), [
    'etc/gateway.ini: [oidc]>pkce: a public client (without client_secret) needs pkce: set it to S256',
  ]);
});

test('an unknown PKCE value, and neither ui.host nor redirect_uri, do not start', () => {
  assert.match(
    faults({ oidc: { pkce: 's256' } }).join(),
    /gateway\.ini:\d+: \[oidc\]>pkce: "s256" is no PKCE method/,
  );
  assert.match(
    faults({ ui: { host: undefined } }).join(),
    /either \[ui\] host or \[oidc\] redirect_uri must be set/,
  );
  assert.deepEqual(
    faults({ ui: { host: undefined }, oidc: { redirect_uri: 'https://h.test/api/oidc/callback' } }),
    [],
  );
});

test('R69 secret-and-secret_file: file wins, warning', () => {
  const ini = mergeIni(OIDC, { oidc: { client_secret_file: ['$', '{state_dir}/client.secret'].join('') } });
  load(
    ini,
    ({ clientSecret, warnings }) => {
      assert.equal(clientSecret, ' from the file \n');
      assert.match(warnings.join(), /both client_secret and client_secret_file are set/);
    },
    home => writeFileSync(join(home.places.lib, 'client.secret'), ' from the file \n\r\n', { mode: 0o400 }),
  );
});

test('R70 secret_file-unreadable: error; world-readable: warning', () => {
  const changes = {
    oidc: { client_secret_file: ['$', '{state_dir}/client.secret'].join(''), client_secret: undefined },
  };
  assert.match(faults(changes).join(), /\[oidc\]>client_secret_file: lib\/client\.secret does not exist/);
  assert.match(
    faults(changes, home => writeFileSync(join(home.places.lib, 'client.secret'), '\n')).join(),
    /holds an empty secret/,
  );
  load(
    mergeIni(OIDC, changes),
    ({ warnings, clientSecret }) => {
      assert.equal(clientSecret, 'x');
      assert.match(warnings.join(), /everybody on this host can read .*client\.secret/);
    },
    home => {
      const path = join(home.places.lib, 'client.secret');
      writeFileSync(path, 'x\r\n');
      chmodSync(path, 0o644);
    },
  );
});

test('R71 ui.host-with-prefix: prefix kept', () => {
  for (const host of ['https://h/dash', 'https://h/dash/']) {
    load(mergeIni(OIDC, { ui: { host } }), ({ settings }) => {
      assert.equal(redirectUri(settings), 'https://h/dash/api/oidc/callback');
      assert.equal(publicPrefix(settings), '/dash');
    });
  }
  const oidc = { redirect_uri: 'https://h/x/api/oidc/callback' };
  load(mergeIni(OIDC, { ui: { host: undefined }, oidc }), ({ settings }) => {
    assert.equal(redirectUri(settings), oidc.redirect_uri);
    assert.equal(publicPrefix(settings), '/x');
  });
});

test('R72 session_key-missing/short: one clear diagnostic', () => {
  const missing = faults({}, home => rmSync(join(home.places.lib, 'session.key')));
  assert.equal(missing.length, 1);
  assert.match(
    missing[0] ?? '',
    /\[service\]>session_key: lib\/session\.key does not exist; make one with "rackwright-edge gen-session-key"/,
  );
  const short = faults({}, home => writeFileSync(join(home.places.lib, 'session.key'), 'short'));
  assert.deepEqual(short, [
    'etc/gateway.ini: [service]>session_key: lib/session.key has 5 bytes; at least 32 are needed',
  ]);
});

test('every fault of a file is told at once, each with its line and the closest known name', () => {
  const home = makeHome(OIDC);
  try {
    writeFileSync(
      home.conf,
      '\ufeff[service]\r\nprot = 1\r\nport = many\r\n[agents]\r\nurl = ftp://x\r\ntimeout = 0\r\n[oicd]\r\n[jwt]\r\nalgorithm = none\r\nalgorithm = HS256\r\n[ui]\r\nhost = https://user:pw@h/\r\ncolor_main = red\r\n',
    );
    assert.throws(
      () => loadGateway(home.conf, home.places, null),
      error => {
        const lines = (error as Error).message.split('\n').map(line => line.replace(/^.*gateway\.ini/, ''));
        assert.ok(
          lines.some(line => line.startsWith(':2: [service]>prot: unknown key; did you mean "port"?')),
          lines.join('\n'),
        );
        assert.ok(lines.some(line => line.startsWith(':3: [service]>port: ')));
        assert.ok(lines.some(line => line.startsWith(':5: [agents]>url: ')));
        assert.ok(lines.some(line => line.startsWith(':6: [agents]>timeout: ')));
        assert.ok(lines.some(line => line.startsWith(':7: [oicd]: unknown section; did you mean "oidc"?')));
        assert.ok(lines.some(line => line.startsWith(':9: [jwt]>algorithm: "none" is none of ')));
        assert.ok(lines.some(line => line.startsWith(':10: [jwt]>algorithm: stands twice, first in line 9')));
        assert.ok(lines.some(line => line.includes('credentials have no place in a URL')));
        assert.ok(lines.some(line => line.includes('"red" is not a colour')));
        return true;
      },
    );
  } finally {
    home.close();
  }
});

test('missing requirements and keys are faults', () => {
  assert.match(faults({ agents: { url: undefined } }).join(), /\[agents\]>url: is required/);
  assert.match(faults({ oidc: { issuer: undefined } }).join(), /\[oidc\]>issuer: is required/);
  assert.match(faults({ oidc: { client_id: undefined } }).join(), /\[oidc\]>client_id: is required/);
  assert.match(
    faults({}, home => rmSync(join(home.places.lib, 'jwt.key'))).join(),
    /\[jwt\]>key: .*gen-jwt-key/,
  );
  assert.match(
    faults({ oidc: { cacert: '/nowhere/ca.pem' } }).join(),
    /\[oidc\]>cacert: \/nowhere\/ca\.pem does not exist/,
  );
  const ldap = mergeIni({ authentication: { method: 'ldap' }, ldap: { uri: 'ldaps://d', starttls: 'yes' } });
  const said = faults(ldap).join('\n');
  assert.match(said, /\[ldap\]>starttls: has no meaning with an ldaps: uri/);
  assert.match(said, /\[ldap\]>user_base: is required/);
  assert.match(said, /\[ldap\]>group_base: is required/);
});

test('what works but should not stay so is warned about', () => {
  const oidc = { pkce: 'plain', verify_ssl: 'no', issuer: 'http://idp.test' };
  load(mergeIni(OIDC, { oidc }), ({ warnings }) => {
    for (const key of ['pkce', 'verify_ssl', 'issuer']) {
      assert.ok(
        warnings.some(line => line.startsWith(`[oidc]>${key}: `)),
        key,
      );
    }
  });
});

test('networks know their addresses, and odd ones are refused', () => {
  const some = parseNetworks(['10.0.0.0/8', '::1/128', '192.0.2.7', 'fd00::/8']);
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', '::1', '192.0.2.7', 'fd12::9'])
    assert.ok(some.has(inside), inside);
  for (const outside of ['11.0.0.1', '::2', '192.0.2.8', 'fe80::1', '', 'x', '10.1.2.3, 1.1.1.1']) {
    assert.ok(!some.has(outside), outside);
  }
  for (const bad of [
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'x/8',
    'fd00::1/8',
    '10.0.0.0/-1',
  ]) {
    assert.throws(
      () => parseNetworks([bad]),
      error => typeof error === 'string',
      bad,
    );
  }
});

/** Runs a subcommand; answers its status and what it printed. */
function run(home: Home, name: string, ...words: string[]): { status: number; out: string[]; err: string[] } {
  const [out, err]: [string[], string[]] = [[], []];
  const around: CommandSurroundings = {
    places: home.places,
    print: line => void out.push(line),
    warn: line => void err.push(line),
  };
  const command = name === 'show-conf' ? showConf : gatewayCommands[name];
  return { status: command?.(words, around) ?? -1, out, err };
}

test('show-conf prints every setting with its origin, and no secret', () => {
  const home = makeHome(OIDC);
  try {
    const { status, out } = run(home, 'show-conf', 'gateway');
    assert.equal(status, 0);
    const text = out.join('\n');
    assert.match(text, /^\[service\]\n {2}interface: localhost \(default\)\n {2}port: 5011 \(default\)/);
    assert.match(text, /\n {2}client_secret: ••• \(.*gateway\.ini:\d+\)\n/);
    assert.match(text, /\n {2}issuer: https:\/\/idp\.test \(.*gateway\.ini:\d+\)\n/);
    assert.match(text, /\n {2}restricted_groups: ∅ \(default\)\n/);
    assert.match(text, /\n {2}enabled: yes \(/);
    for (const words of [
      ['nonsense'],
      [],
      ['gateway', '--conf'],
      ['edge', '--conf', '/x'],
      ['gateway', 'more'],
    ]) {
      assert.equal(run(home, 'show-conf', ...words).status, 2, words.join(' '));
    }
    assert.match(
      run(home, 'show-conf', 'edge').out.join('\n'),
      /\n {2}metrics_restrict: 127\.0\.0\.0\/8, ::1\/128 \(default\)\n/,
    );
    const agent = run(home, 'show-conf', 'agent').out.join('\n');
    assert.match(agent, /\n {2}restrict: 127\.0\.0\.0\/8, ::1\/128 \(default\)\n/);
    assert.match(agent, /\n {2}jwt_token: ∅ \(default\)\n/);
  } finally {
    home.close();
  }
});

test('the key generators make keys of the documented shape and touch none that is there', async () => {
  const { readFileSync, statSync } = await import('node:fs');
  const home = makeHome(OIDC);
  try {
    const [jwt, session] = [join(home.places.lib, 'jwt.key'), join(home.places.lib, 'session.key')];
    const before = readFileSync(jwt, 'utf8');
    const kept = run(home, 'gen-jwt-key');
    assert.equal(kept.status, 0);
    assert.match(kept.err.join(), /exists already/);
    assert.equal(readFileSync(jwt, 'utf8'), before);
    rmSync(jwt);
    rmSync(session);
    assert.equal(run(home, 'gen-jwt-key').status, 0);
    assert.equal(run(home, 'gen-session-key').status, 0);
    assert.match(readFileSync(jwt, 'utf8'), /^[0-9a-f]{64}$/);
    assert.equal(statSync(jwt).mode & 0o777, 0o400);
    assert.match(readFileSync(session, 'utf8'), /^[\w-]{86}$/);
    assert.equal(statSync(session).mode & 0o777, 0o600);
  } finally {
    home.close();
  }
});
