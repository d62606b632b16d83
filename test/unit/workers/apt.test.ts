/** Reading the machine's apt sources and settings, and apt's own words when it fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFault } from '../../../workers/formats/deb/apt-failure.ts';
import { fetchSettings } from '../../../workers/formats/deb/apt-settings.ts';
import {
  digestOf,
  parseDeb822,
  parseOneLine,
  renderSources,
  selectSources,
} from '../../../workers/formats/deb/apt-sources.ts';

const DEB822 = `# the archive
Types: deb deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
uris: https://site.example/tools
Suites: nodistro
Components: main
Architectures: amd64
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----

Enabled: no
Types: deb
URIs: http://off.example/
Suites: bookworm
Components: main
`;

test('deb822 sources are read: case of fields, several lines, disabled entries', () => {
  const entries = parseDeb822(DEB822);
  assert.equal(entries.length, 2);
  assert.deepEqual(entries[0]?.suites, ['bookworm', 'bookworm-updates']);
  assert.deepEqual(entries[1]?.uris, ['https://site.example/tools']);
  assert.match(entries[1]?.options['Signed-By'] ?? '', /^\n -----BEGIN/);
});

test('one-line sources are read with their options', () => {
  const entries = parseOneLine(
    '# deb http://no/ x main\ndeb [arch=amd64,i386 signed-by=/k.gpg] http://a/debian bookworm main contrib # why\ndeb-src http://a/debian bookworm main\n',
  );
  assert.deepEqual(entries[0], {
    types: ['deb'],
    uris: ['http://a/debian'],
    suites: ['bookworm'],
    components: ['main', 'contrib'],
    options: { Architectures: 'amd64 i386', 'Signed-By': '/k.gpg' },
  });
  assert.equal(entries[1]?.types[0], 'deb-src');
  assert.equal(entries.length, 2);
});

test("an environment takes the machine's sources for its suite and companions, and no others", () => {
  const chosen = selectSources(parseDeb822(DEB822), 'bookworm', 'bookworm', []);
  assert.equal(chosen.length, 1);
  assert.deepEqual(chosen[0]?.types, ['deb']);
  assert.deepEqual(chosen[0]?.components, ['main', 'contrib']);
});

test('for another release the codename is replaced, components can be chosen', () => {
  const chosen = selectSources(parseDeb822(DEB822), 'trixie', 'bookworm', ['main']);
  assert.deepEqual(chosen[0]?.suites, ['trixie', 'trixie-updates']);
  assert.deepEqual(chosen[0]?.components, ['main']);
  assert.deepEqual(selectSources(parseDeb822(DEB822), 'trixie', '', []), []);
});

test('what is rendered is read again as it was', () => {
  const chosen = selectSources(parseDeb822(DEB822), 'bookworm', 'bookworm', []);
  const again = parseDeb822(renderSources(chosen, () => '/etc/apt/keyrings/x.gpg'));
  assert.deepEqual(again, [{ ...chosen[0], options: { 'Signed-By': '/etc/apt/keyrings/x.gpg' } }]);
});

test('only settings about fetching are copied', () => {
  const dump = `APT "";
APT::Architecture "amd64";
Acquire "";
Acquire::http "";
Acquire::http::Proxy "http://proxy.example:3128";
Acquire::https::CaInfo "/etc/ssl/site.pem";
Acquire::Retries "5";
Acquire::Languages "none";
Dir::Etc "etc/apt";
DPkg::Pre-Install-Pkgs:: "/bin/evil";
`;
  assert.deepEqual(
    fetchSettings(dump).map(each => each.name),
    ['Acquire::http::Proxy', 'Acquire::https::CaInfo', 'Acquire::Retries'],
  );
});

test('a mirror that fails is named with its address', () => {
  const fault = findFault(`Err:1 http://mirror.example/debian bookworm InRelease
  Could not connect to mirror.example:80 (10.0.0.1), connection timed out
W: Failed to fetch http://old.example/x  Could not resolve
E: Failed to fetch http://mirror.example/debian/pool/main/h/hello.deb  404  Not Found [IP: 10.0.0.1 80]
E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?
`);
  assert.equal(fault?.reason, 'mirror');
  assert.equal(fault?.details.url, 'http://mirror.example/debian/pool/main/h/hello.deb');
  assert.match(fault?.message ?? '', /404 {2}Not Found/);
});

test('a dependency that nothing satisfies is named', () => {
  const fault = findFault(`Reading package lists...
Some packages could not be installed. This may mean that you have
The following packages have unmet dependencies:
 satisfy:command-line : Depends: libnothing-dev (>= 9) but it is not installable
E: Unable to correct problems, you have held broken packages.
W: Failed to fetch http://old.example/x  Could not resolve
`);
  assert.equal(fault?.reason, 'build-failed');
  assert.equal(
    fault?.message,
    'build dependencies cannot be satisfied: Depends: libnothing-dev (>= 9) but it is not installable',
  );
});

test('other failures are nobody’s', () => {
  assert.equal(findFault('dpkg: error processing package x (--configure):\n'), null);
});

test('digests tell lists of texts apart however they are cut', () => {
  assert.notEqual(digestOf('ab', 'c'), digestOf('a', 'bc'));
  assert.equal(digestOf('a', 'b'), digestOf('a', 'b'));
});
