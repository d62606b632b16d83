/** Architecture-independent rpms in a registry whose architectures change, as dnf sees them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { TaskContext } from '../../../workers/context.ts';
import type { BuildSpec, RegistrySpec, Spec } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { openDnf } from '../../support/dnf-client.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { makeRpm } from '../../support/rpms.ts';

const PLACE = { format: 'rpm', distribution: 'el9', derivative: 'main' } as const;
const ONE = ['x86_64'];
const BOTH = ['x86_64', 'aarch64'];

describe('a noarch rpm', () => {
  const registry = openRegistry({
    pipelines: [{ format: 'rpm', distribution: 'el9', tag: 'el9' }],
    keyring: { type: 'rsa', size: 2048 },
  });
  const folder = join(registry.tree('rpm'), 'el9/main/aarch64');
  let number = 0;
  before(() => makeKeyring(registry));
  after(() => registry.close());

  /** A task's context while the instance has these architectures. */
  function contextOf(spec: Spec, architectures: readonly string[]): TaskContext {
    const { job, ...context } = registry.context(spec);
    return { ...context, job: { ...job, instance: { ...job.instance, architectures } } };
  }

  async function publish(
    name: string,
    architectures: readonly string[],
    { architecture = 'noarch', change = (context: TaskContext): TaskContext => context } = {},
  ): Promise<void> {
    const spec = { type: 'build', ...PLACE } as BuildSpec;
    const files = makeRpm(join(registry.home, String(number++)), { name, version: '1', architecture });
    const context = change(contextOf(spec, architectures));
    await publishRpm(context, { artifact: name, version: '1', files }, spec);
  }

  async function act(action: RegistrySpec['action'], parameters = {}): Promise<void> {
    const spec: RegistrySpec = { type: 'registry', action, ...PLACE, parameters };
    registry.log.length = 0;
    await registryWork(contextOf(spec, BOTH), spec);
  }

  /** Names of the packages that the index of aarch64 lists. */
  function listed(): string[] {
    const repodata = readdirSync(join(folder, 'repodata'));
    const repomd = readFileSync(join(folder, 'repodata/repomd.xml'), 'utf8');
    const primary = repodata.find(name => name.endsWith('primary.xml.gz') && repomd.includes(name)) ?? '';
    const xml = gunzipSync(readFileSync(join(folder, 'repodata', primary))).toString('utf8');
    return [...xml.matchAll(/<location href="Packages\/(.*)-1-1\.\w+\.rpm"/g)].map(match => match[1] ?? '');
  }

  async function install(...names: string[]): Promise<void> {
    const key = join(registry.settings.dirs.keyring, 'default/public.asc');
    const dnf = openDnf({ url: `file://${folder}/`, key });
    try {
      const installed = await dnf.run('install', ...names);
      assert.equal(installed.code, 0, installed.output);
    } finally {
      dnf.close();
    }
  }

  test('is installed from an architecture that came after it', async () => {
    await publish('early', ONE);
    await act('snapshot', { name: 'first' });
    await publish('later', BOTH);
    assert.deepEqual(listed(), ['early', 'later']);
    await install('early', 'later');
    await act('verification');
  });

  test('is the same package still when the registry goes back', async () => {
    await act('rollback', { to: 'first' });
    assert.ok(registry.log.some(line => line.endsWith('Went back to first: 0 artifacts returned, 2 left')));
    assert.deepEqual(listed(), ['early']);
    await install('early');
    await act('verification');
  });

  test('is there for an architecture that has an index and is no longer built for', async () => {
    await publish('narrow', ONE);
    await install('early', 'narrow');
    await act('verification');
  });

  test('is there for an architecture that a package brings', async () => {
    await publish('foreign', ONE, { architecture: 'ppc64le' });
    const there = readdirSync(join(registry.tree('rpm'), 'el9/main/ppc64le/Packages')).sort();
    assert.deepEqual(there, ['early-1-1.noarch.rpm', 'foreign-1-1.ppc64le.rpm', 'narrow-1-1.noarch.rpm']);
    await act('verification');
  });

  test('that an index lists and no pool has is found by verification, and repair puts it there', async () => {
    const file = join(folder, 'Packages/early-1-1.noarch.rpm');
    rmSync(file);
    registry.database.prepare("DELETE FROM file WHERE path LIKE '%/aarch64/early-1-1.noarch.rpm'").run();
    await assert.rejects(act('verification'), { reason: 'catalogue-mismatch' });
    assert.ok(registry.log.includes('error: aarch64/Packages/early-1-1.noarch.rpm is listed and missing'));
    await act('repair');
    assert.ok(existsSync(file));
    await act('verification');
    await install('early');
  });

  test('is taken back from where it was put when the publication fails', async () => {
    const refusing = (context: TaskContext): TaskContext => ({
      ...context,
      ask: question =>
        question.type === 'intent' ? Promise.reject(new Error('refused')) : context.ask(question),
    });
    const failing = publish('failing', ['x86_64', 's390x'], { change: refusing });
    await assert.rejects(failing, { message: 'refused' });
    assert.deepEqual(readdirSync(join(registry.tree('rpm'), 'pool/el9/main/s390x')), []);
    await act('verification');
  });
});
