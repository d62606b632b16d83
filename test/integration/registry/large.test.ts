/** Large packages and many of them: what tools are given, in pieces and in time, when they are read and signed. */
import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import type { TaskContext, ToolOptions, ToolResult } from '../../../workers/context.ts';
import type { BuildSpec, RegistrySpec } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { makeDeb, makeSource } from '../../support/debs.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { makeManyRpms } from '../../support/rpms.ts';

/** Milliseconds that a tool has unless told. */
const USUAL = 60_000;

describe('a registry that is brought much', () => {
  const registry = openRegistry({
    pipelines: [{}, { format: 'rpm', distribution: 'el9', tag: 'el9' }],
    keyring: { type: 'rsa', size: 2048 },
  });
  before(() => makeKeyring(registry));
  after(() => registry.close());

  /** A context that tells of each tool before it runs; what is answered then is taken for the tool's own answer. */
  function watching(
    context: TaskContext,
    watch: (command: readonly string[], options: ToolOptions) => ToolResult | undefined,
  ): TaskContext {
    const runTool: TaskContext['runTool'] = async (command, options = {}) =>
      watch(command, options) ?? context.runTool(command, options);
    return { ...context, runTool };
  }

  test('gives the tools that read a Debian package to its end the time that large ones take', async () => {
    const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative: 'main' } as BuildSpec;
    const doc = 'usr/share/doc/large/changelog.gz';
    const files = [
      makeSource(registry.home, 'large-source', '1'),
      makeDeb(registry.home, { name: 'large', version: '1', files: { [doc]: '' } }),
    ];
    const given: number[] = [];
    const context = watching(registry.context(spec), (command, options) => {
      if (/dpkg-deb|tar /.test(command.join(' '))) given.push(options.timeout ?? USUAL);
      return undefined;
    });
    await publishDeb(context, { artifact: 'large', version: '1', files }, spec);
    assert.equal(given.length, 3);
    assert.ok(given.every(time => time > 10 * USUAL));
  });

  test('takes a source whose changelog takes too long, or is too large, without it', async () => {
    const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative: 'main' } as BuildSpec;
    for (const reason of ['timeout', 'too-large'] as const) {
      const context = watching(registry.context(spec), ([tool]) => {
        if (tool === 'tar') throw new Fault('unavailable', reason, reason);
        return undefined;
      });
      const files = [makeSource(registry.home, reason, '1')];
      await publishDeb(context, { artifact: reason, version: '1', files }, spec);
      const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
      const found = registry.catalogue.reads.describe('default', place, {
        name: reason,
        architecture: 'src',
      });
      assert.deepEqual(found?.entry.changelog, []);
    }
  });

  test('signs rpms in pieces, and tells how far it is', async () => {
    const source = join(registry.home, 'many');
    const count = makeManyRpms(source, 201).length;
    const place = { format: 'rpm', distribution: 'el9', derivative: 'main' } as const;
    const spec: RegistrySpec = { type: 'registry', action: 'import', ...place, parameters: { source } };
    const signed: number[] = [];
    const told: string[] = [];
    const context = watching(registry.context(spec), ([tool = '', ...words]) => {
      if (basename(tool) === 'rpmsign') signed.push(words.filter(word => word.endsWith('.rpm')).length);
      // They are sound, and looking at each of so many takes seconds.
      return tool === 'rpmkeys' ? { exitCode: 0, stdout: Buffer.alloc(0), stderr: '' } : undefined;
    });
    const progress = (step: string, done: number, total: number): void => {
      if (step === 'reading') told.push(`${done} of ${total}`);
    };
    await registryWork({ ...context, progress }, spec);
    assert.deepEqual(signed, [200, 1]);
    assert.ok(told.includes(`${count + 200} of ${3 * count}`));
    assert.equal(told.at(-1), `${3 * count} of ${3 * count}`);
    const verify: RegistrySpec = { ...spec, action: 'verification', parameters: {} };
    await registryWork(registry.context(verify), verify);
  });
});
