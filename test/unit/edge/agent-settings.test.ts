/** agent.ini: what is refused with its line, what is warned of, and what counts where. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Agent, loadAgent, slurmrestdTarget } from '../../../edge/agent/settings.ts';
import { places, SettingsError } from '../../../systemd/settings.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rwagentini-'));
  mkdirSync(join(home, 'lib'));
  writeFileSync(join(home, 'lib/jwt.key'), 'k'.repeat(32), { mode: 0o600 });
  writeFileSync(join(home, 'lib/slurmrestd.key'), 's'.repeat(32), { mode: 0o600 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const SERVICE = '[service]\ncluster=alpha\n';

function load(ini: string, credentials: string | null = null): Agent {
  const file = join(home, 'agent.ini');
  writeFileSync(file, ini, { mode: 0o600 });
  return loadAgent(file, places(home), credentials);
}

/** The lines told, without the file's path. */
function faultsOf(ini: string): string[] {
  try {
    load(ini);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.message.split('\n').map(line => line.replace(`${join(home, 'agent.ini')}:`, ''));
  }
  return [];
}

test('a file with nothing but the cluster has the documented values', () => {
  const { settings, warnings, slurmKey } = load(SERVICE);
  assert.deepEqual(warnings, []);
  assert.equal(settings.service.port, 5012);
  assert.equal(settings.service.compat_version, '7.0.0');
  assert.equal(slurmrestdTarget(settings), 'unix:///run/slurmrestd/slurmrestd.socket');
  assert.equal(slurmKey, join(home, 'lib/slurmrestd.key'));
  assert.deepEqual(settings.slurmrestd.versions.slice(0, 1), ['0.0.45']);
  assert.deepEqual(settings.slurmrestd.versions.slice(-1), ['0.0.38']);
  assert.deepEqual(
    [settings.metrics.enabled, settings.metrics.job, settings.metrics.prefix, settings.metrics.interval],
    [false, 'slurm', 'slurm', 15],
  );
  for (const near of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
    assert.ok(settings.metrics.restrict.has(near), near);
  }
  for (const far of ['10.0.0.1', '::2', '', 'localhost']) assert.ok(!settings.metrics.restrict.has(far), far);
  const { cache } = settings;
  assert.deepEqual(
    [cache.enabled, cache.jobs, cache.job, cache.nodes, cache.node, cache.version, cache.associations],
    [false, 30, 10, 30, 10, 1800, 120],
  );
});

test('what can’t be used is refused, each fault with its line', () => {
  for (const [ini, ...faults] of [
    ['[service]\nport=1\n', ' [service]>cluster: is required'],
    ['[service]\ncluster=a b\n', '2: [service]>cluster: is no cluster name'],
    [`${SERVICE}compat_version=5.0.0\n`, '3: [service]>compat_version: "5.0.0" is not 6.Y.Z or 7.Y.Z'],
    [`${SERVICE}prot=1\n`, '3: [service]>prot: unknown key; did you mean "port"?'],
    [`${SERVICE}cluster=b\n`, '3: [service]>cluster: '],
    [`${SERVICE}[metrix]\nx=1\n`, '3: [metrix]: unknown section; did you mean "metrics"?'],
    [`${SERVICE}[metrics]\nenabled=perhaps\n`, '4: [metrics]>enabled: "perhaps" is neither yes nor no'],
    [
      `${SERVICE}[metrics]\nrestrict=\n  10.0.0.0/8\n  10.0.0.0/33\n`,
      '4: [metrics]>restrict: "10.0.0.0/33" has a bad mask',
    ],
    [`${SERVICE}[metrics]\nrestrict=10.0.0.1/8\n`, '4: [metrics]>restrict: "10.0.0.1/8" has host bits set'],
    [`${SERVICE}[metrics]\nrestrict=fd00::1/8\n`, '4: [metrics]>restrict: "fd00::1/8" has host bits set'],
    [`${SERVICE}[metrics]\nrestrict=everybody\n`, '4: [metrics]>restrict: "everybody" is not a network'],
    [`${SERVICE}[metrics]\nprefix=1x\n`, '4: [metrics]>prefix: "1x" is no metric name'],
    [
      `${SERVICE}[metrics]\ninterval=0\nscrape_interval=0\n`,
      '4: [metrics]>interval: must be',
      '5: [metrics]>scrape_interval: must be',
    ],
    [`${SERVICE}[metrics]\ninterval=60\nmax_age=30\n`, '5: [metrics]>max_age: is less than interval (60 s)'],
    [`${SERVICE}[metrics]\nhost=ftp://h\n`, '4: [metrics]>host: "ftp://h" is not http: or https:'],
    [
      `${SERVICE}[slurmrestd]\nuri=unix:relative\n`,
      '4: [slurmrestd]>uri: "unix:relative" is not unix:///PATH',
    ],
    [
      `${SERVICE}[slurmrestd]\nuri=http://h:1/prefix\n`,
      '4: [slurmrestd]>uri: "http://h:1/prefix" has a path',
    ],
    [`${SERVICE}[slurmrestd]\nuri=http://u:p@h:1\n`, '4: [slurmrestd]>uri: credentials'],
    [
      `${SERVICE}[slurmrestd]\nuri=http://h:1\nauth=local\n`,
      '5: [slurmrestd]>auth: local authentication works over a Unix socket only',
    ],
    [
      `${SERVICE}[slurmrestd]\njwt_mode=static\n`,
      ' [slurmrestd]>jwt_token: is required with jwt_mode static',
    ],
    [
      `${SERVICE}[slurmrestd]\njwt_user=\ntimeout=0\n`,
      '4: [slurmrestd]>jwt_user: is empty',
      '5: [slurmrestd]>timeout: must be',
    ],
    [`${SERVICE}[slurmrestd]\nversions=\n  0.0.41\n  new\n`, '4: [slurmrestd]>versions: "new" is not X.Y.Z'],
    [`${SERVICE}[slurmdbd]\njobs_max_hours=0\n`, '4: [slurmdbd]>jobs_max_hours: 0 is not between 1 and'],
    [
      `${SERVICE}[jwt]\nkey=/nowhere/jwt.key\n`,
      '4: [jwt]>key: /nowhere/jwt.key does not exist; copy the gateway',
    ],
    [
      `${SERVICE}[slurmrestd]\njwt_key=/nowhere/s.key\n`,
      '4: [slurmrestd]>jwt_key: /nowhere/s.key does not exist; copy the key',
    ],
  ] as const) {
    const told = faultsOf(ini);
    assert.equal(told.length, faults.length, `${ini} ${told}`);
    for (const [at, fault] of faults.entries())
      assert.ok(told[at]?.startsWith(fault), `${told[at]} / ${fault}`);
  }
  writeFileSync(join(home, 'lib/jwt.key'), 'short');
  writeFileSync(join(home, 'lib/slurmrestd.key'), '');
  const told = faultsOf(SERVICE);
  assert.equal(told.length, 2);
  assert.match(told[0] ?? '', /^ \[jwt\]>key: .*jwt\.key: the key has 5 bytes; HS256 needs at least 32$/);
  assert.match(told[1] ?? '', /^ \[slurmrestd\]>jwt_key: .*slurmrestd\.key is empty$/);
});

test('a key that is not needed need not be there', () => {
  rmSync(join(home, 'lib/slurmrestd.key'));
  load(`${SERVICE}[slurmrestd]\nauth=local\n`);
  load(`${SERVICE}[slurmrestd]\njwt_mode=static\njwt_token=x\n`);
});

test('what works but means nothing, or should not stay so, is warned of', () => {
  const ini = `${SERVICE}cors=yes
log_flags=
  slurmweb
  slurmwep
[slurmrestd]
socket=/run/s.socket
version=0.0.40
[policy]
definition=/etc/policy.yml
[racksdb]
db=/var/lib/db
schema=/s
extensions=/e
drawings_schema=/d
[filters]
nodes=
  name
  nmae
[metrics]
restrict=
  0.0.0.0/0
  ::/0
[cache]
password=secret
`;
  const said = load(ini).warnings;
  for (const words of [
    /^\[service\]>cors is ignored: browsers ask the gateway/,
    /^\[service\]>log_flags: slurmwep is unknown and chooses nothing; known: ALL, slurmweb, slurmrestd/,
    /^\[slurmrestd\]>socket is deprecated: use uri = unix:\/\/PATH/,
    /^\[slurmrestd\]>version is ignored: versions are discovered/,
    /^\[policy\]>definition is ignored: the actions are built in/,
    /^\[racksdb\]>db is ignored: /,
    /^\[racksdb\]>schema is ignored: /,
    /^\[racksdb\]>extensions is ignored: /,
    /^\[racksdb\]>drawings_schema is ignored: /,
    /^\[filters\]>nodes: no answer has a member nmae; known: name, cpus, /,
    /^\[metrics\]>restrict: 0\.0\.0\.0\/0 lets everybody read the metrics/,
    /^\[metrics\]>restrict: ::\/0 lets everybody read the metrics/,
  ]) {
    assert.equal(said.filter(line => words.test(line)).length, 1, `${words} in ${said.join('\n')}`);
  }
  assert.equal(said.length, 12, said.join('\n'));
  for (const name of ['lib/jwt.key', 'lib/slurmrestd.key']) chmodSync(join(home, name), 0o644);
  const open = load(SERVICE).warnings;
  assert.equal(open.length, 2);
  for (const line of open) assert.match(line, /everybody on this host can read .*\.key; make it mode 0400$/);
});

test('systemd’s credentials win over files, and settings may name the usual places', () => {
  const credentials = join(home, 'credentials');
  mkdirSync(credentials);
  for (const name of ['jwt.key', 'slurmrestd.key']) {
    writeFileSync(join(credentials, name), 'c'.repeat(40), { mode: 0o600 });
    rmSync(join(home, 'lib', name));
  }
  const loaded = load(SERVICE, credentials);
  assert.equal(loaded.slurmKey, join(credentials, 'slurmrestd.key'));
  assert.equal(loaded.key.verify.export().toString(), 'c'.repeat(40));
  assert.match(faultsOf(SERVICE).join(), /jwt\.key does not exist/);
  mkdirSync(join(home, 'lib/keys'));
  writeFileSync(join(home, 'lib/keys/a'), 'a'.repeat(32), { mode: 0o600 });
  const named = load(`${SERVICE}[jwt]\nkey=\${state_dir}/keys/a\n[slurmrestd]\njwt_key=\${jwt:key}\n`);
  assert.equal(named.slurmKey, join(home, 'lib/keys/a'));
});
