/** The tasks on images and environments, run as a worker thread runs them. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import type { Outcome, QueryAnswers, Spec } from '../../../workers/job.ts';
import answer from '../../../workers/query.ts';
import runTask from '../../../workers/task.ts';
import { testJob } from '../../support/attempt.ts';
import {
  hostArchitecture,
  hostCodename,
  hostPipeline,
  preparedRoot,
  testCache,
} from '../../support/environment.ts';

let base = '';
before(async () => {
  await preparedRoot();
  base = mkdtempSync(join(tmpdir(), 'rackwright-images-'));
  mkdirSync(join(base, 'cache'));
  const kept = join(testCache(), 'cache/environments');
  cpSync(kept, join(base, 'cache/environments'), { recursive: true, preserveTimestamps: true });
});
after(() => rmSync(base, { recursive: true, force: true }));

const key = { format: 'deb', environment: hostCodename(), architecture: hostArchitecture() } as const;

async function run(spec: Spec, imageFormats?: readonly string[]): Promise<Outcome> {
  const place = mkdtempSync(join(base, 'place-'));
  const { port1, port2 } = new MessageChannel();
  try {
    const options = { spec, base, pipelines: [hostPipeline()], ...(imageFormats ? { imageFormats } : {}) };
    return await runTask({ job: testJob(place, options), port: port2 });
  } finally {
    port1.close();
    rmSync(place, { recursive: true, force: true });
  }
}

async function deb(): Promise<QueryAnswers['images']['images'][number]> {
  const { instance } = testJob(base, { pipelines: [hostPipeline()] });
  const { images } = (await answer({
    type: 'images',
    instance,
    images: join(base, 'images'),
  })) as QueryAnswers['images'];
  const [image] = images;
  assert.ok(image);
  return image;
}

test('an environment cannot be updated or entered before it is there, nor an image updated', async () => {
  for (const spec of [
    { type: 'environment-update', ...key },
    { type: 'environment-shell', ...key, term: '', command: ['true'] },
  ] as const) {
    assert.equal((await run(spec)).fault?.reason, 'no-environment');
  }
  assert.equal((await run({ type: 'image-update', format: 'deb' })).fault?.reason, 'no-image');
});

test('no image is made of a format that the settings leave out, whoever needs it', async () => {
  const outcome = await run({ type: 'image-creation', format: 'deb', force: false }, ['rpm', 'osi']);
  assert.equal(outcome.fault?.reason, 'no-image');
  assert.equal((await deb()).exists, false);
});

test('an image is created once, and again by force only', async () => {
  assert.equal((await run({ type: 'image-creation', format: 'deb', force: false })).result, 'success');
  assert.equal((await deb()).exists, true);
  const again = await run({ type: 'image-creation', format: 'deb', force: false });
  assert.equal(again.fault?.reason, 'already-there');
  assert.equal((await run({ type: 'image-creation', format: 'deb', force: true })).result, 'success');
});

test('an environment is created, known, entered, and gone with its image', async () => {
  assert.equal((await run({ type: 'environment-creation', ...key })).result, 'success');
  const [environment] = (await deb()).environments;
  assert.ok(environment?.exists);
  assert.ok(environment.size > 100_000_000);
  assert.ok(environment.created > 1_700_000_000);
  assert.equal(
    (await run({ type: 'environment-shell', ...key, term: '', command: ['test', '-x', '/usr/bin/dpkg'] }))
      .result,
    'success',
  );
  const failed = await run({ type: 'environment-shell', ...key, term: '', command: ['false'] });
  assert.equal(failed.fault?.reason, 'build-failed');
  assert.equal(
    (await run({ type: 'image-shell', format: 'deb', term: '', command: ['true'] })).result,
    'success',
  );
  assert.equal((await run({ type: 'image-creation', format: 'deb', force: true })).result, 'success');
  assert.equal((await deb()).environments[0]?.exists, false);
  const folder = join(base, 'images/test/deb.img');
  for (const name of readdirSync(folder).filter(each => each.startsWith('rackwright-'))) {
    assert.deepEqual(readdirSync(join(folder, name)), []);
  }
});

test('an environment of no pipeline is refused by name', async () => {
  const outcome = await run({ type: 'environment-creation', ...key, environment: 'nowhere' });
  assert.equal(outcome.fault?.reason, 'not-found');
  assert.match(outcome.fault?.message ?? '', /nowhere/);
  assert.equal(existsSync(join(base, 'images/test/deb.img/rackwright-nowhere-amd64')), false);
});
