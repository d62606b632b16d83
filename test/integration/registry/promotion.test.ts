/** Promotion of what the disk of the origin has damaged or lost, within an instance and to another one. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { CatalogueQuestion } from '../../../daemon/store/catalogue.ts';
import type { TaskContext } from '../../../workers/context.ts';
import type { BuildSpec, Question, RegistrySpec, Spec } from '../../../workers/job.ts';
import { keyringCreation } from '../../../workers/jobs/keyring.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { makeDeb } from '../../support/debs.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { makeRpm } from '../../support/rpms.ts';

const DISTRIBUTIONS = { deb: 'bookworm', rpm: 'el9' } as const;

describe('a promotion', () => {
  const registry = openRegistry({
    pipelines: [{}, { format: 'rpm', distribution: 'el9', tag: 'el9' }],
    keyring: { type: 'rsa', size: 2048 },
  });
  before(async () => {
    await makeKeyring(registry);
    const keyring = { type: 'keyring-creation' } as const;
    await keyringCreation(contextIn('other', keyring), keyring);
    for (const [format, publish, files] of [
      ['deb', publishDeb, [makeDeb(registry.home, { name: 'kept', version: '1' })]],
      ['rpm', publishRpm, makeRpm(registry.home, { name: 'kept', version: '1' })],
    ] as const) {
      const place = { format, distribution: DISTRIBUTIONS[format], derivative: 'main' };
      const spec = { type: 'build', ...place } as BuildSpec;
      await publish(registry.context(spec), { artifact: 'kept', version: '1', files: [...files] }, spec);
    }
  });
  after(() => registry.close());

  /** A task's context in another instance of the same daemon. */
  function contextIn(id: string, spec: Spec): TaskContext {
    const { job, ...context } = registry.context(spec);
    const answer = async (question: Question): Promise<unknown> =>
      question.type === 'lock' || question.type === 'unlock'
        ? null
        : registry.catalogue.answer(id, question as CatalogueQuestion);
    return {
      ...context,
      ask: question => answer(question as Question) as never,
      job: { ...job, instance: { ...job.instance, id } },
    };
  }

  function promote(format: 'deb' | 'rpm', to: string): Promise<void> {
    const distribution = DISTRIBUTIONS[format];
    const parameters = { instance: 'default', distribution, derivative: 'main' };
    const place = { format, distribution, derivative: 'extra' } as const;
    const spec: RegistrySpec = { type: 'registry', action: 'promotion', ...place, parameters };
    return registryWork(contextIn(to, spec), spec);
  }

  for (const [format, path] of [
    ['deb', 'pool/main/k/kept/kept_1_all.deb'],
    ['rpm', 'pool/el9/main/x86_64/kept-1-1.noarch.rpm'],
  ] as const) {
    for (const to of ['default', 'other']) {
      test(`of ${format} into the instance ${to} is refused while a file is damaged or lost`, async () => {
        const file = join(registry.tree(format), path);
        const bytes = readFileSync(file);
        // As sound for the tools: only the catalogue knows that it is another one.
        const [same = ''] =
          format === 'deb'
            ? [makeDeb(registry.home, { name: 'kept', version: '1', files: { other: 'x' } })]
            : makeRpm(registry.home, { name: 'kept', version: '1', requires: 'bash' });
        // Another file of that name: what was promoted has further names of the first one.
        rmSync(file);
        writeFileSync(file, readFileSync(same));
        await assert.rejects(promote(format, to), {
          reason: 'catalogue-mismatch',
          message: /has other content than published/,
        });
        rmSync(file);
        await assert.rejects(promote(format, to), { reason: 'catalogue-mismatch', message: /is missing/ });
        writeFileSync(file, bytes);
        await promote(format, to);
      });
    }
  }
});
