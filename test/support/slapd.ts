/** A real slapd on loopback with users and both group schemas: ldap (StartTLS) and ldaps. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from './tls.ts';
import { freePort, listening } from './until.ts';

export interface Slapd {
  readonly ldap: string;
  readonly ldaps: string;
  close(): Promise<void>;
}

export interface SlapdOptions {
  /** Users `user0000` … beside the named ones, all in the group `crowd`. */
  readonly crowd?: number;
  /** Line of slapd.conf: the most entries that an answer, or a paged search as a whole, may have. */
  readonly limit?: string;
}

/** Users alice, bob, carol, dave with passwords `pw-NAME`; Carol has a `displayName`. Service account cn=admin, `secret`. */
export async function startSlapd(authority: Authority, options: SlapdOptions = {}): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-slapd-'));
  mkdirSync(join(folder, 'db'));
  writeFileSync(join(folder, 'slapd.conf'), configuration(folder, authority, options));
  writeFileSync(join(folder, 'data.ldif'), people(options.crowd ?? 0));
  const conf = join(folder, 'slapd.conf');
  execFileSync('/usr/sbin/slapadd', ['-q', '-f', conf, '-l', join(folder, 'data.ldif')], { stdio: 'pipe' });
  const [plain, secure] = [await freePort(), await freePort()];
  const urls = `ldap://127.0.0.1:${plain}/ ldaps://127.0.0.1:${secure}/`;
  const child = spawn('/usr/sbin/slapd', ['-f', conf, '-h', urls, '-d', '0'], { stdio: 'ignore' });
  const ended = new Promise<void>(resolve => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  await listening(plain, 'slapd');
  return {
    ldap: `ldap://localhost:${plain}`,
    ldaps: `ldaps://localhost:${secure}`,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, authority: Authority, options: SlapdOptions): string {
  const schemas = ['core', 'cosine', 'inetorgperson', 'nis'].map(
    name => `include /etc/ldap/schema/${name}.schema`,
  );
  return `${schemas.join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/pid
argsfile ${folder}/args
TLSCACertificateFile ${authority.folder}/ca.pem
TLSCertificateFile ${authority.folder}/server.pem
TLSCertificateKeyFile ${authority.folder}/server.key
${options.limit ?? 'sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited'}
database mdb
maxsize 268435456
suffix "dc=corp,dc=org"
rootdn "cn=root,dc=corp,dc=org"
rootpw rootpw
directory ${folder}/db
dbnosync
index objectClass,uid,memberUid,member eq
access to attrs=userPassword by anonymous auth by self write by * none
access to * by * read
`;
}

function people(crowd: number): string {
  const entries = [
    'dn: dc=corp,dc=org\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp',
    'dn: cn=admin,dc=corp,dc=org\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: admin\nuserPassword: secret',
    'dn: ou=people,dc=corp,dc=org\nobjectClass: organizationalUnit\nou: people',
    'dn: ou=groups,dc=corp,dc=org\nobjectClass: organizationalUnit\nou: groups',
    'dn: ou=empty,dc=corp,dc=org\nobjectClass: organizationalUnit\nou: empty',
  ];
  const person = (uid: string, number: number, more = ''): string =>
    `dn: uid=${uid},ou=people,dc=corp,dc=org
objectClass: inetOrgPerson
objectClass: posixAccount
uid: ${uid}
cn: ${uid[0]?.toUpperCase()}${uid.slice(1)} Test
sn: Test
uidNumber: ${number}
gidNumber: 2001
homeDirectory: /home/${uid}
userPassword: pw-${uid}${more}`;
  entries.push(
    person('alice', 1001),
    person('bob', 1002),
    person('carol', 1003, '\ndisplayName: Carol C.'),
    person('dave', 1004),
  );
  for (let number = 0; number < crowd; number += 1) {
    entries.push(person(`user${String(number).padStart(4, '0')}`, 10_000 + number));
  }
  const group = (name: string, gid: number, members: readonly string[]): string =>
    `dn: cn=${name},ou=groups,dc=corp,dc=org\nobjectClass: posixGroup\ncn: ${name}\ngidNumber: ${gid}${members.map(one => `\nmemberUid: ${one}`).join('')}`;
  entries.push(group('admin', 2000, ['alice']), group('users', 2001, []));
  const dn = (uid: string): string => `\nmember: uid=${uid},ou=people,dc=corp,dc=org`;
  entries.push(
    `dn: cn=biology,ou=groups,dc=corp,dc=org\nobjectClass: groupOfNames\ncn: biology${dn('carol')}${dn('dave')}`,
    'dn: cn=science,ou=groups,dc=corp,dc=org\nobjectClass: groupOfNames\ncn: science\nmember: cn=biology,ou=groups,dc=corp,dc=org',
  );
  return `${entries.join('\n\n')}\n`;
}
