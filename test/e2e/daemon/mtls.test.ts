/** Admin tools elsewhere: gRPC over TCP by mutual TLS, the certificate's name mapped to a login by setting. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import { type Connection, connect } from '../../../proto/rpc.ts';
import { loadProtocol } from '../../../proto/services.ts';
import { type Home, makeHome, type RunningDaemon, startDaemon } from '../../support/daemon.ts';
import { type Authority, makeAuthority } from '../../support/tls.ts';
import { freePort } from '../../support/until.ts';

describe('gRPC over TCP', () => {
  const protocol = loadProtocol();
  const open: Connection[] = [];
  let authority: Authority;
  let home: Home;
  let daemon: RunningDaemon;
  let port = 0;

  /** A client certificate of that name, signed by an authority's folder. */
  const certify = (name: string, by: Authority): { certificate: Buffer; key: Buffer } => {
    const run = (...words: string[]): void =>
      void execFileSync('openssl', words, { cwd: by.folder, stdio: 'pipe' });
    const request = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    run('req', ...request, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
    run('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.pem`);
    const read = (file: string): Buffer => readFileSync(join(by.folder, file));
    return { certificate: read(`${name}.pem`), key: read(`${name}.key`) };
  };
  const client = (identity: { certificate: Buffer; key: Buffer }): Connection => {
    const connection = connect(protocol, `localhost:${port}`, { ca: authority.ca, ...identity });
    open.push(connection);
    return connection;
  };
  const refusal = async (call: Promise<unknown>): Promise<Fault> => {
    const fault = await call.then(
      () => null,
      error => error,
    );
    assert.ok(fault instanceof Fault, 'the call is refused');
    return fault;
  };

  before(async () => {
    authority = await makeAuthority();
    home = makeHome();
    port = await freePort();
    const file = (name: string): string => join(authority.folder, name);
    home.configure(
      'rackwright.ini',
      `[daemon]\nlisten = 127.0.0.1:${port}\ntls_ca = ${file('ca.pem')}\ntls_certificate = ${file('server.pem')}\n` +
        `tls_key = ${file('server.key')}\ncertificate_logins =\n  admin.example jane\n`,
    );
    home.configure(
      'policy.ini',
      '[roles]\nanonymous\nadmins=jane\n[anonymous]\nactions=view-registry\n[admins]\nactions=view-task,manage-token\n',
    );
    daemon = await startDaemon(home);
  });
  after(async () => {
    for (const connection of open) connection.close();
    await daemon?.stop();
    home?.remove();
    authority?.close();
  });

  test('a mapped certificate acts as its login, under the policy', async () => {
    const connection = client(certify('admin.example', authority));
    const who = await connection.service('TokenService').whoAmI({ instance: 'default' });
    assert.equal(who.login, 'jane');
    assert.deepEqual(who.roles, ['admins', 'anonymous']);
    assert.deepEqual((await connection.service('TaskService').listTasks({ instance: 'default' })).tasks, []);
    const fault = await refusal(connection.service('KeyringService').createKeyring({ instance: 'default' }));
    assert.equal(fault.kind, 'forbidden');
  });

  test('a certificate that stands for no login is refused by name', async () => {
    const connection = client(certify('stranger.example', authority));
    const fault = await refusal(connection.service('TokenService').whoAmI({ instance: 'default' }));
    assert.equal(fault.kind, 'forbidden');
    assert.match(fault.message, /stranger\.example/);
  });

  test('a certificate of another authority does not get in at all', async () => {
    const other = await makeAuthority();
    try {
      const fault = await refusal(
        client(certify('admin.example', other))
          .service('TokenService')
          .whoAmI({ instance: 'default' }, { timeout: 120_000 }),
      );
      assert.equal(fault.kind, 'unavailable');
    } finally {
      other.close();
    }
  });

  test('without its certificates the setting is refused at start', async () => {
    const bare = makeHome();
    bare.configure('rackwright.ini', '[daemon]\nlisten = 127.0.0.1:0\n');
    try {
      await assert.rejects(startDaemon(bare), /tls_ca/);
    } finally {
      bare.remove();
    }
  });
});
