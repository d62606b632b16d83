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
