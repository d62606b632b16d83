/** A registry's content signed anew: what is packed for it, what is not, and who need not wait. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BuildSpec, RegistrySpec } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { withRegistry } from '../../../workers/registry/publication.ts';
import { verify } from '../../../workers/registry/verification.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import { SEED_SPEC } from '../../support/seed-apt.ts';
import { tinyDeb, writeTinyDeb } from '../../support/tiny-deb.ts';

describe('a refresh', () => {
  const asked: string[] = [];
  let registry: RegistryHome;
  before(async () => {
    registry = openRegistry({
      ask: (question, answer) => {
        asked.push(question.type);
        return answer();
      },
    });
    await makeKeyring(registry);
  });
  after(() => registry.close());

  const SPEC: RegistrySpec = { ...SEED_SPEC, action: 'refresh' };

  async function publish(name: string, version: string, derivative = 'main'): Promise<void> {
    const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative } as BuildSpec;
    const file = writeTinyDeb(registry.home, tinyDeb(name, version));
    await publishDeb(registry.context(spec), { artifact: name, version, files: [file] }, spec);
  }

  const read = (path: string): Buffer => readFileSync(join(registry.tree('deb'), 'dists/bookworm', path));
  /** Paths of xz that Release names, each checked against its digest. */
  function packed(): string[] {
    const lines = [
      ...read('Release')
        .toString()
        .matchAll(/^ ([0-9a-f]{64}) +(\d+) (\S+\.xz)$/gm),
    ];
    return lines.map(([, sha256 = '', size, path = '']) => {
      const bytes = read(path);
      assert.equal(bytes.length, Number(size));
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
      return path;
    });
  }
  const findings = (): Promise<string[]> => {
    const context = registry.context(SPEC);
    return withRegistry(context, SPEC, held => verify(context, held));
  };

  test('of a registry with nothing in it is refused', async () => {
    await assert.rejects(registryWork(registry.context(SPEC), SPEC), { reason: 'not-found' });
  });

  test('packs what has no xz, while others publish, and gives it to what did not change', async () => {
    await publish('hello', '1-1');
    await publish('other', '1-1', 'extra');
    assert.deepEqual(packed(), []);
    const context = registry.context(SPEC);
    const { runTool } = context;
    let meanwhile = 0;
    Object.assign(context, {
      runTool: async (...call: Parameters<typeof runTool>) => {
        if (call[0].includes('xz') && meanwhile++ === 0) {
          const count = (type: string): number => asked.filter(one => one === type).length;
          assert.equal(count('lock'), count('unlock'), 'packing holds the registry');
          await publish('hello', '2-1');
        }
        return runTool(...call);
      },
    });
    await registryWork(context, SPEC);
    assert.ok(meanwhile > 0);
    assert.deepEqual(packed(), [
      'extra/binary-amd64/Packages.xz',
      'extra/source/Sources.xz',
      'main/source/Sources.xz',
    ]);
    assert.deepEqual(await findings(), []);
    await registryWork(registry.context(SPEC), SPEC);
    assert.ok(packed().includes('main/binary-amd64/Packages.xz'));
    assert.deepEqual(await findings(), []);
  });

  test('keeps what a publication leaves as it is, and lists no xz of what it changes', async () => {
    await publish('other', '2-1', 'extra');
    assert.deepEqual(packed(), [
      'extra/source/Sources.xz',
      'main/binary-amd64/Packages.xz',
      'main/source/Sources.xz',
    ]);
    assert.deepEqual(await findings(), []);
  });

  test('packs nothing where that is turned off, and signs all the same', async () => {
    const served = (): string => readlinkSync(join(registry.tree('deb'), 'dists/bookworm'));
    const before_ = served();
    const context = registry.context(SPEC);
    const { settings } = context.job;
    Object.assign(context.job, { settings: { ...settings, deb: { ...settings.deb, xzAfter: 0 } } });
    await registryWork(context, SPEC);
    assert.equal(packed().length, 3);
    assert.notEqual(served(), before_);
  });
});
