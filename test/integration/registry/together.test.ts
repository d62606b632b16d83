/** Distributions that are changed at the same time, under the daemon's own locks: they share a pool and addresses. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { registryName } from '../../../daemon/core/claims.ts';
import { Locks } from '../../../daemon/core/locks.ts';
import type { TaskContext } from '../../../workers/context.ts';
import type { BuildSpec, Question, RegistrySpec, Spec } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { makeDeb } from '../../support/debs.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';

/** What a test does before a question is answered. */
type Watch = (question: Question, waits: boolean) => Promise<void> | void;

describe('two distributions', async () => {
  const registry = openRegistry({
    pipelines: [{}, { distribution: 'trixie', tag: 'deb13', environment: 'trixie' }],
  });
  const locks = new Locks();
  before(() => makeKeyring(registry));
  after(() => registry.close());

  /** A context of a task of its own that holds what it locks. */
  function contextOf(spec: Spec, watch: Watch = () => undefined): TaskContext {
    const context = registry.context(spec);
    const { task } = context.job;
    const answer = async (question: Question): Promise<unknown> => {
      if (question.type === 'unlock') return locks.release(registryName(question.registry), task);
      if (question.type !== 'lock') {
        await watch(question, false);
        return context.ask(question);
      }
      const taken = locks.take(registryName(question.registry), task);
      const waits = await Promise.race([taken.then(() => false), setImmediate(true)]);
      await watch(question, waits);
      return taken;
    };
    return { ...context, ask: question => answer(question as Question) as never };
  }

  function publish(distribution: string, name: string, watch?: Watch): Promise<void> {
    const folder = mkdtempSync(join(registry.home, 'built-'));
    const text = { [`usr/share/${name}`]: `of ${distribution}` };
    const files = [makeDeb(folder, { name, version: '1-1', files: text })];
    const spec = { type: 'build', format: 'deb', distribution, derivative: 'main' } as BuildSpec;
    return publishDeb(contextOf(spec, watch), { artifact: name, version: '1-1', files }, spec);
  }

  function act(
    action: RegistrySpec['action'],
    distribution: string,
    parameters = {},
    watch?: Watch,
  ): Promise<void> {
    const place = { format: 'deb', distribution, derivative: 'main' } as const;
    const spec: RegistrySpec = { type: 'registry', action, ...place, parameters };
    return registryWork(contextOf(spec, watch), spec);
  }

  test('that bring other content under one name at once: the second is refused, the first one stays whole', async () => {
    let second: Promise<string> | null = null;
    await publish('bookworm', 'both', async question => {
      if (question.type !== 'intent') return;
      // Its file is in the pool now, and nothing is recorded of it.
      await new Promise<void>(resolve => {
        const other = publish('trixie', 'both', (_, waits) => {
          if (waits) resolve();
        });
        second = other.then(
          () => 'published',
          error => error.reason,
        );
        second.then(() => resolve());
      });
    });
    assert.equal(await second, 'version-exists');
    const index = readFileSync(
      join(registry.tree('deb'), 'dists/bookworm/main/binary-amd64/Packages'),
      'utf8',
    );
    const file = readFileSync(join(registry.tree('deb'), 'pool/main/b/both/both_1-1_all.deb'));
    assert.equal(/^SHA256: (.*)$/m.exec(index)?.[1], createHash('sha256').update(file).digest('hex'));
    await act('verification', 'bookworm');
  });
  test('have snapshots of one name made at once', async () => {
    await publish('trixie', 'other');
    // Both are staged before either is recorded.
    let staged = 0;
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const snapshot = (distribution: string): Promise<void> =>
      act('snapshot', distribution, { name: 'release' }, question => {
        if (question.type !== 'snapshot') return;
        if (++staged === 2) resolve();
        return both;
      });
    await Promise.all(['bookworm', 'trixie'].map(snapshot));
    const tree = join(registry.tree('deb'), 'snapshots/release');
    assert.deepEqual(readdirSync(tree).sort(), ['dists', 'pool']);
    assert.deepEqual(readdirSync(join(tree, 'dists')).sort(), ['bookworm', 'trixie']);
    for (const distribution of ['bookworm', 'trixie']) await act('verification', distribution);
  });
});
