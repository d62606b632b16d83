/** Collection: what nothing needs goes, after its time; what the catalogue, a kept state or a snapshot needs stays. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BuildSpec, RegistrySpec } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { collect } from '../../../workers/registry/collection.ts';
import { withRegistry } from '../../../workers/registry/publication.ts';
import { openAptClient } from '../../support/apt-client.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { SEED_SPEC } from '../../support/seed-apt.ts';
import { tinyDeb, writeTinyDeb } from '../../support/tiny-deb.ts';
import { serveTree } from '../../support/tree-server.ts';

const DAY = 86_400;

describe('the collection of a registry', () => {
  const registry = openRegistry();
  const tree = registry.tree('deb');
  const segments = join(registry.tree('state'), 'deb/segments');
  const pool = (version: number): string => join(tree, `pool/main/h/hello/hello_${version}-1_amd64.deb`);
  before(async () => {
    await makeKeyring(registry);
    for (let version = 1; version <= 7; version++) {
      await publish(version);
      if (version === 2) await act('snapshot', { name: 'second' });
    }
  });
  after(() => registry.close());

  async function publish(version: number): Promise<void> {
    const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative: 'main' } as BuildSpec;
    const file = writeTinyDeb(registry.home, tinyDeb('hello', `${version}-1`));
    await publishDeb(registry.context(spec), { artifact: 'hello', version: '1', files: [file] }, spec);
  }

  async function act(action: RegistrySpec['action'], parameters: Record<string, string> = {}): Promise<void> {
    const spec: RegistrySpec = { ...SEED_SPEC, action, parameters };
    await registryWork(registry.context(spec), spec);
  }

  async function collectAfter(days: number): Promise<void> {
    const context = registry.context(SEED_SPEC);
    await withRegistry(context, SEED_SPEC, held => collect(context, held, Date.now() / 1000 + days * DAY));
  }

  const versions = (): number[] => [1, 2, 3, 4, 5, 6, 7].filter(version => existsSync(pool(version)));
  const states = (): number => readdirSync(join(tree, 'generations/bookworm')).length;

  test('takes nothing of the last days, whatever was superseded', async () => {
    await collectAfter(6);
    assert.deepEqual(versions(), [1, 2, 3, 4, 5, 6, 7]);
    assert.equal(states(), 7);
  });

  test('then leaves three states and what a snapshot holds, with all that these need and no more', async () => {
    mkdirSync(join(tree, 'generations/bookworm/never-served'));
    writeFileSync(join(tree, 'pool/main/h/hello/stranger.deb'), 'nobody knows it');
    const before_ = readdirSync(segments).length;
    await collectAfter(8);
    assert.deepEqual(versions(), [2, 5, 6, 7]);
    assert.equal(states(), 4);
    assert.ok(!existsSync(join(tree, 'pool/main/h/hello/stranger.deb')));
    assert.ok(readdirSync(segments).length < before_);
    await act('verification');
    const server = await serveTree(tree);
    const line = (path: string): string =>
      `deb [signed-by=${registry.settings.dirs.keyring}/default/public.gpg] ${server.url}${path} bookworm main`;
    for (const [path, version] of [
      ['', '7-1'],
      ['/snapshots/second', '2-1'],
    ] as const) {
      const apt = openAptClient(line(path));
      await apt.run('apt-get', 'update');
      const download = await apt.run('apt-get', 'download', `hello=${version}`);
      assert.equal(download.code, 0, download.output);
      apt.close();
    }
    await server.close();
  });

  test('lets the registry go on, and takes what a snapshot held once that is dropped', async () => {
    await publish(8);
    await act('snapshot', { name: 'second', drop: 'yes' });
    await collectAfter(8);
    assert.deepEqual(versions(), [6, 7]);
    assert.ok(existsSync(pool(8)));
    await act('verification');
  });
});
