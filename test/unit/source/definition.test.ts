import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import { checkSupport, parseDefinition } from '../../../workers/source/definition.ts';
import { sentVersion, stemOf } from '../../../workers/source/sources.ts';

const HEX = 'a'.repeat(64);

function faultOf(text: string, artifact = 'foo'): Fault {
  try {
    parseDefinition(text, 'artifact.yml', artifact);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'no fault' });
}

describe('definitions', () => {
  test('several sources have versions by derivative and checksums by version', () => {
    const definition = parseDefinition(
      `sources:
  foo: https://example.org/foo-{{ version | gittag }}.tar.xz
  bar: https://example.org/get?f=bar!bar-{{ version }}.zip
derivatives:
  main: {foo: 2.1.0, bar: 4.5.6}
  lts: {foo: 1.3.5, bar: 4.2.1}
checksums:
  foo: {2.1.0: {sha256: ${HEX}}}
  bar: {4.5.6: {sha256: ${HEX.toUpperCase()}, sha1: ${'b'.repeat(40)}}}
deb: {release: 1}
rpm: {release: 2+beta1, buildargs: --with mysql}
`,
      'artifact.yml',
      'foo',
    );
    assert.deepEqual(definition.derivatives, ['main', 'lts']);
    assert.deepEqual([...definition.sources.keys()], ['foo', 'bar']);
    assert.equal(definition.sources.get('foo')?.versions.get('lts'), '1.3.5');
    assert.equal(definition.sources.get('bar')?.url, 'https://example.org/get?f=bar');
    assert.equal(definition.sources.get('bar')?.filename, 'bar-{{ version }}.zip');
    assert.deepEqual(definition.sources.get('bar')?.checksums.get('4.5.6'), {
      sha256: HEX,
      sha1: 'b'.repeat(40),
    });
    assert.deepEqual(definition.formats.get('rpm'), { release: '2+beta1', buildArguments: '--with mysql' });
  });

  test('limits are read in the units of the settings', () => {
    const text = 'source: https://e/x\nversion: 1\ndeb: {release: 1}\n';
    const read = (limits: string) => parseDefinition(`${text}${limits}`, 'artifact.yml', 'foo');
    assert.deepEqual(read('limits: {memory: 512 MiB, timeout: 5, cpus: 1.5}').limits, {
      ...{ memory: 512 * 1024 ** 2, timeout: 5, cpus: 1.5 },
    });
    assert.deepEqual(read('').limits, {});
    const odd = read('limits: {pids: 10, journal: 5}');
    assert.deepEqual(odd.limits, { pids: 10 });
    assert.deepEqual(odd.warnings, ['artifact.yml:4: limits.journal is not known and has no effect']);
    const fault = faultOf(`${text}limits:\n  memory: 1 QiB\n  timeout: {a: b}\n`);
    assert.equal(fault.reason, 'bad-definition');
    assert.deepEqual(fault.message.split('\n').sort(), [
      'artifact.yml:5: limits.memory "1 QiB" is not a size such as 256 MiB',
      'artifact.yml:6: limits.timeout must be a text',
    ]);
    assert.match(faultOf(`${text}limits: [1]\n`).message, /artifact\.yml:4: limits must be a map/);
  });

  test('versions and releases are taken as they are written', () => {
    const definition = parseDefinition(
      'source: https://e/x\nversion: 1.10\ndeb: {release: 010}\n',
      'artifact.yml',
      'foo',
    );
    assert.equal(definition.sources.get('foo')?.versions.get('main'), '1.10');
    assert.equal(definition.formats.get('deb')?.release, '010');
    const dates = parseDefinition(
      'source: https://e/x\nderivatives: {main: 2024-01-05, old: 1e3}\ndeb: {release: 1}\n',
      'a.yml',
      'foo',
    );
    assert.deepEqual(
      [...(dates.sources.get('foo')?.versions ?? [])],
      [
        ['main', '2024-01-05'],
        ['old', '1e3'],
      ],
    );
  });

  test('one version may serve formats of which not all take it', () => {
    const text = (formats: string): string => `source: https://e/x\nversion: r42\n${formats}\n`;
    const rpm = 'rpm: {release: 1_2}';
    assert.equal(
      parseDefinition(text(`deb: {release: 1}\n${rpm}`), 'a.yml', 'foo').sources.get('foo')?.versions.size,
      1,
    );
    parseDefinition(text(rpm), 'a.yml', 'foo');
    parseDefinition(text('osi:'), 'a.yml', 'foo');
    assert.equal(faultOf(text('deb: {release: 1}')).reason, 'bad-version');
    assert.match(
      faultOf(text('deb: {release: 1}')).message,
      /artifact\.yml:2: version: "r42" is not a version/,
    );
  });

  test('derivatives win over version and versions', () => {
    const single = parseDefinition(
      'source: https://e/x\nversion: 1\nderivatives: {main: 2}\ndeb: {release: 1}\n',
      'a.yml',
      'foo',
    );
    assert.equal(single.sources.get('foo')?.versions.get('main'), '2');
    const several = parseDefinition(
      'sources: {foo: https://e/x}\nversions: {foo: 1}\nderivatives: {lts: {foo: 3}}\ndeb: {release: 1}\n',
      'a.yml',
      'foo',
    );
    assert.deepEqual(
      [...(several.sources.get('foo')?.versions ?? [])],
      [
        ['main', '1'],
        ['lts', '3'],
      ],
    );
  });

  test('every fault is told at once, with file and line', () => {
    const fault = faultOf(`sources:
  bar: https://example.org/bar
  foo: {}
versions: {bar: 1, baz: 2}
checksums:
  bar: {1: {md5: abc, sha256: 123}}
rpm: {}
`);
    assert.equal(fault.reason, 'bad-definition');
    const lines = fault.message.split('\n');
    assert.deepEqual(lines.map(line => line.split(' ')[0]).sort(), [
      'artifact.yml:3:',
      'artifact.yml:4:',
      'artifact.yml:6:',
      'artifact.yml:6:',
      'artifact.yml:7:',
    ]);
    assert.match(fault.message, /versions\.baz names no source/);
    assert.match(fault.message, /md5 is no algorithm/);
    assert.match(
      faultOf('source: https://e/x\nsources: {foo: https://e/y}\ndeb: {release: 1}').message,
      /exclude each other/,
    );
    assert.match(
      faultOf('sources: {bar: https://e/y}\ndeb: {release: 1}').message,
      /no source is named "foo"/,
    );
    assert.match(faultOf('source: https://e/x').message, /names no format/);
    assert.match(faultOf('a: 1\na: 2\ndeb: {release: 1}').message, /^artifact.yml:2/);
    assert.match(faultOf('__proto__: {x: 1}\ndeb: {release: 1}').message, /__proto__/);
    assert.equal(faultOf('- a\n- b\n').reason, 'bad-definition');
    assert.equal(faultOf(`deb: ${'['.repeat(5000)}`).reason, 'bad-definition');
  });

  test('R28: a malformed version is named as such', () => {
    const fault = faultOf('source: https://e/x\nversion: v1.0\ndeb: {release: 1}\n');
    assert.equal(fault.reason, 'bad-version');
    assert.match(fault.message, /^artifact.yml:2: version: "v1.0"/);
    assert.equal(faultOf('source: https://e/x\nversion: 1.0\ndeb: {release: 1-2}\n').reason, 'bad-version');
  });

  test('an unknown key is warned of, not refused', () => {
    const { warnings } = parseDefinition(
      'source: https://e/x\nchecksum: {}\ndeb: {release: 1, extra: 2}\n',
      'artifact.yml',
      'foo',
    );
    assert.deepEqual(
      warnings.map(text => text.split(' ')[0]),
      ['artifact.yml:3:', 'artifact.yml:2:'],
    );
  });

  test('what a definition does not support is refused with what it does', () => {
    const definition = parseDefinition(
      'source: https://e/x\nderivatives: {lts: 1}\ndeb: {release: 1}\n',
      'artifact.yml',
      'foo',
    );
    assert.throws(() => checkSupport(definition, 'rpm', 'lts'), /supports deb/);
    assert.throws(() => checkSupport(definition, 'deb', 'main'), /only lts/);
    checkSupport(definition, 'deb', 'lts');
  });
});

describe('file names of sources', () => {
  test('the version of a sent file lies between id and ending', () => {
    const read = (filename: string, id = 'hello'): string => sentVersion({ id, filename }, 'deb');
    assert.equal(read('hello-2.11~rc1.tar.xz'), '2.11~rc1');
    assert.equal(read('hello_2.10.tgz'), '2.10');
    assert.equal(read('/somewhere/hello-1.0.zip'), '1.0');
    assert.equal(read('a-b-1.0.tar.bz2', 'a-b'), '1.0');
    for (const bad of [
      'hello.tar.xz',
      'hello-.tar.xz',
      'other-1.0.tar.xz',
      'hello-1.0',
      'hello-v1.tar.gz',
      'hello-1.0 x.tar.gz',
    ]) {
      assert.throws(
        () => read(bad),
        (error: Fault) => error.reason === 'bad-version' && error.message.includes(bad.slice(0, 5)),
        bad,
      );
    }
  });

  test('a stem keeps letters, digits and hyphens', () => {
    assert.equal(stemOf('bar-4.5.6~rc1_beta.tar.xz'), 'bar-456rc1beta');
    assert.equal(stemOf('data.tgz'), 'data');
  });
});
