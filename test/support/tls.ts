/** A private certificate authority with one server certificate for this host's loopback names. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Authority {
  readonly folder: string;
  /** PEM texts: the authority's certificate, the server's key, and its certificate with the authority's behind it. */
  readonly ca: Buffer;
  readonly key: Buffer;
  readonly chain: Buffer;
  close(): void;
}

/** Makes it with openssl. Names: localhost, 127.0.0.1, ::1. */
export async function makeAuthority(): Promise<Authority> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-ca-'));
  const run = (...words: string[]): void => {
    execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  };
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const ca = [
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  ];
  run(
    'req',
    '-x509',
    ...ec,
    '-days',
    '2',
    '-subj',
    '/CN=Rackwright test CA',
    ...ca,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  run('req', ...ec, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(
    join(folder, 'ext'),
    'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n',
  );
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'ext'];
  run('x509', '-req', '-in', 'server.csr', ...signing, '-out', 'server.pem');
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const chain = Buffer.concat([read('server.pem'), read('ca.pem')]);
  writeFileSync(join(folder, 'chain.pem'), chain);
  return {
    folder,
    ca: read('ca.pem'),
    key: read('server.key'),
    chain,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
