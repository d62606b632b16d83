/** Instances as their files define them: what is refused, and where the file says it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readInstance } from '../../../daemon/core/instances.ts';

function instance(...formats: string[]): string {
  return ['name: Site', 'gpg: {name: Team, email: team@example.org}', 'formats:', ...formats, ''].join('\n');
}

describe('names of distributions', () => {
  for (const name of ['pool', 'generations', 'snapshots', 'metadata', 'dists', 'by-hash']) {
    test(`"${name}" is refused with its line: the registry has a folder of that name`, () => {
      const text = instance(
        '  rpm:',
        '  - {name: el9, env: rocky-9}',
        `  - name: ${name}`,
        '    env: rocky-9',
      );
      const { instance: read, faults } = readInstance('site', text, 'x86_64');
      assert.equal(read, null);
      assert.deepEqual(
        faults.map(fault => [fault.line, fault.path]),
        [[6, 'formats.rpm.1.name']],
      );
      assert.match(faults[0]?.message ?? '', new RegExp(`"${name}" is a reserved name`));
    });
  }

  test('that only look like one are taken', () => {
    const text = instance('  deb:', '  - {name: pools, env: bookworm}', '  osi:', '  - name: snapshot');
    const { instance: read, faults } = readInstance('site', text, 'x86_64');
    assert.deepEqual(faults, []);
    assert.deepEqual(
      read?.pipelines.map(pipeline => pipeline.distribution),
      ['pools', 'snapshot'],
    );
  });
});

describe('tags of distributions', () => {
  const read = (format: string, tag: string) =>
    readInstance('site', instance(`  ${format}:`, `  - {name: d, env: e, tag: ${tag}}`), 'x86_64');

  test('hold what the versions of their format may hold', () => {
    for (const [format, tag] of [
      ['deb', 'deb12'],
      ['deb', 'deb12.1'],
      ['deb', 'bpo12~1'],
      ['rpm', 'el8_9'],
      ['rpm', 'el9.3'],
    ] as const) {
      assert.deepEqual(read(format, tag).faults, [], tag);
      assert.equal(read(format, tag).instance?.pipelines[0]?.tag, tag);
    }
    for (const [format, tag] of [
      ['deb', 'deb_12'],
      ['deb', '.deb12'],
      ['deb', 'deb-12'],
      ['rpm', '_el8'],
      ['rpm', 'el-8'],
    ] as const) {
      assert.deepEqual(
        read(format, tag).faults.map(fault => fault.path),
        [`formats.${format}.0.tag`],
        tag,
      );
    }
  });

  test('mean nothing to images, whose versions have none', () => {
    const text = instance('  osi:', '  - {name: ci, tag: ci_1}');
    assert.equal(readInstance('site', text, 'x86_64').instance?.pipelines[0]?.tag, null);
  });
});

describe('limits', () => {
  const read = (...limits: string[]) =>
    readInstance(
      'site',
      instance('  deb:', '  - {name: d, env: e}', 'limits:', ...limits.map(line => `  ${line}`)),
      'x86_64',
    );

  test('are those that the file states, in the units of the settings', () => {
    const { instance: found, faults } = read(
      'memory: 2 GiB',
      'cpus: 0.5',
      'timeout: 0',
      'idle_timeout: 5 min',
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(found?.limits, { memory: 2 * 1024 ** 3, cpus: 0.5, timeout: 0, idleTimeout: 300 });
    const none = readInstance('site', instance('  deb:', '  - {name: d, env: e}'), 'x86_64');
    assert.deepEqual(none.instance?.limits, {});
  });

  test('that can not be read, or that nobody knows, are refused with their lines', () => {
    const { instance: found, faults } = read('memory: much', 'pids: 12', 'timeout: [1]');
    assert.equal(found, null);
    assert.deepEqual(
      faults.map(fault => [fault.line, fault.path, fault.message]),
      [[9, 'limits.timeout', 'must be string']],
    );
    assert.deepEqual(
      read('disk: 1 TB', 'journal_limit: 1').faults.map(fault => [fault.line, fault.path, fault.message]),
      [[8, 'limits.journal_limit', 'unknown key']],
    );
    assert.deepEqual(
      read('memory: much', 'pids: 12', 'timeout: soon').faults.map(fault => [
        fault.line,
        fault.path,
        fault.message,
      ]),
      [
        [7, 'limits.memory', '"much" is not a size such as 256 MiB'],
        [9, 'limits.timeout', '"soon" is not a duration such as 30 min'],
      ],
    );
  });
});

describe('retention', () => {
  test('is read by derivative, in seconds', () => {
    const text = instance(
      '  deb:',
      '  - name: bookworm',
      '    env: bookworm',
      '    retention: {main: {last: 3, newer: 2w}, extra: {newer: 12h}}',
      'derivatives: {extra: }',
    );
    const { instance: read, faults } = readInstance('site', text, 'x86_64');
    assert.deepEqual(faults, []);
    assert.deepEqual(read?.pipelines[0]?.retention, {
      main: { last: 3, newer: 1_209_600 },
      extra: { last: 1, newer: 43_200 },
    });
  });

  test('of a derivative that is not there is refused with its line: a slip must not keep less than was meant', () => {
    const text = instance(
      '  deb:',
      '  - name: bookworm',
      '    env: bookworm',
      '    retention: {mian: {last: 3}}',
    );
    const { instance: read, faults } = readInstance('site', text, 'x86_64');
    assert.equal(read, null);
    assert.deepEqual(
      faults.map(({ line, path, message }) => [line, path, message]),
      [[7, 'formats.deb.0.retention', 'there is no derivative "mian"']],
    );
  });
});
