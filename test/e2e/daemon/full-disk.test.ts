/** S11, S12: a disk that is full under the daemon. Submissions wait, running work ends by name, reads and service go on. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../../proto/fault.ts';
import { decodeEnd, FrameReader } from '../../../proto/frame.ts';
import { buildForm } from '../../support/build-form.ts';
import { type Sample, tinySample } from '../../support/definitions.ts';
import { testCache } from '../../support/environment.ts';
import { type Pair, startPair } from '../../support/pair.ts';
import { openSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { until } from '../../support/until.ts';

const POLICY =
  '[roles]\nanonymous\n[anonymous]\nactions=view-pipeline,view-registry,view-task,view-keyring,build\n';
/** A build that says a line ten times a second until it is ended. */
const TALKER =
  '#!/usr/bin/make -f\n\n%:\n\tdh $@\n\noverride_dh_auto_build:\n\twhile sleep 0.1; do seq 200; done\n';
const skip = process.getuid?.() === 0 ? false : 'mounting a small file system needs root';

interface TaskJson {
  readonly state: string;
  readonly result: string;
  readonly place: string;
  readonly reason?: string;
}

describe('a daemon whose disk is full', { skip }, () => {
  let disk: SmallDisk;
  let outside = '';
  let pair: Pair;

  before(async () => {
    disk = openSmallDisk(96, 20_000);
    outside = mkdtempSync(join(tmpdir(), 'rw-outside-'));
    mkdirSync(join(disk.folder, 'etc'));
    writeFileSync(join(disk.folder, 'etc/policy.ini'), POLICY);
    writeFileSync(
      join(disk.folder, 'etc/rackwright.ini'),
      `[dirs]\ncache = ${join(testCache(), 'journey')}\n[images]\nstorage = ${join(outside, 'images')}\n` +
        '[keyring]\ntype = ed25519\n[format:deb]\nlintian = no\n[tasks]\nworkers = 2\nmax_workers = 2\n',
    );
    pair = await startPair({ home: disk.folder });
  });
  afterEach(() => disk.empty());
  after(async () => {
    await pair?.stop();
    disk?.close();
    rmSync(outside, { recursive: true, force: true });
  });

  /** Takes all room, also from who writes at the same time. */
  const fill = (): void => {
    try {
      disk.fill({ bytes: 0 });
    } catch (error) {
      assert.equal(errorCode(error), 'ENOSPC');
    }
  };
  const url = (path: string): string => `${pair.url}/default/${path}`;
  const spooled = (): string[] => readdirSync(join(disk.folder, 'lib/spool'));

  async function post(sample: Sample): Promise<Response> {
    const { distribution } = pair;
    const form = await buildForm(sample, { distribution, folder: outside, message: 'Try' });
    return fetch(url('build'), { method: 'POST', body: form });
  }

  async function submit(sample: Sample): Promise<string> {
    const answer = await post(sample);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { task: string }).task;
  }

  /** Submits until there is no room: a build that the full disk has ended meanwhile leaves some. */
  async function refusal(sample: Sample): Promise<Response> {
    for (let tries = 0; tries < 20; tries++) {
      fill();
      const answer = await post(sample);
      if (answer.status === 503) return answer;
      assert.equal(answer.status, 200, await answer.text());
    }
    throw new Error('the disk does not get full');
  }

  const taskOf = async (task: string): Promise<TaskJson> =>
    (await (await fetch(url(`tasks/${task}.json`))).json()) as TaskJson;
  /** Empty until the task has begun. */
  const journalOf = (task: TaskJson): Buffer => {
    const path = join(task.place, 'task.journal');
    return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  };

  async function finished(task: string): Promise<TaskJson> {
    await until(async () => (await taskOf(task)).state === 'finished', 300_000);
    return taskOf(task);
  }

  test('answers 503, ends what runs as journal-full, serves what it has, and goes on without restart', async () => {
    const first = await finished(await submit(tinySample(outside, 'first')));
    assert.equal(first.result, 'success', journalOf(first).toString('latin1').slice(-2000));
    const talker = await submit(tinySample(outside, 'talker', { files: { 'deb/rules': TALKER } }));
    await until(async () => /\n199\r?\n/.test(journalOf(await taskOf(talker)).toString()), 120_000);

    const next = tinySample(outside, 'next');
    const refused = await refusal(next);
    assert.equal(refused.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(await refused.text(), /no space left/);
    assert.deepEqual(spooled(), []);
    for (const path of [
      'registry.json',
      `registry/deb/${pair.distribution}/main.json`,
      `deb/dists/${pair.distribution}/InRelease`,
      'keyring.asc',
      'queue.json',
      `tasks/${talker}.json`,
      `watch/${talker}.txt`,
    ]) {
      const answer = await fetch(url(path), { signal: AbortSignal.timeout(300_000) });
      assert.equal(answer.status, 200, path);
      await answer.body?.cancel();
    }
    // Whole frames, the last of them the end, on a disk on which nothing can be written any longer.
    const end = (): ReturnType<typeof decodeEnd> => {
      const reader = new FrameReader();
      const last = [
        ...reader.push(journalOf({ place: join(disk.folder, 'lib/workspaces/default', talker) } as TaskJson)),
      ].at(-1);
      return last && reader.pending === 0 ? decodeEnd(last) : null;
    };
    await until(async () => end() !== null, 120_000);
    assert.deepEqual(end(), { succeeded: false, reason: 'journal-full' });
    await sleep(1000);

    disk.empty();
    const ended = await finished(talker);
    assert.equal(ended.result, 'failed');
    const again = await finished(await submit(next));
    assert.equal(again.result, 'success', journalOf(again).toString('latin1').slice(-2000));
    assert.deepEqual(spooled(), []);
  });

  test('names the full disk where the work itself finds no space', async () => {
    const rules =
      '#!/usr/bin/make -f\n\n%:\n\tdh $@\n\noverride_dh_auto_build:\n\thead -c 200M /dev/zero >big\n';
    const task = await finished(await submit(tinySample(outside, 'big', { files: { 'deb/rules': rules } })));
    assert.equal(task.result, 'failed');
    const text = journalOf(task).toString('latin1');
    assert.match(text, /No space left on device/);
    assert.match(text, /20:Task failed: disk-full$/);
    const small = await finished(await submit(tinySample(outside, 'small')));
    assert.equal(small.result, 'success');
  });
});
