/** Limits of tasks: the instance's own, lowered by definitions; real builds in two instances of one daemon. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodeLog, FrameReader } from '../../../proto/frame.ts';
import {
  type Home,
  makeHome,
  type RunningDaemon,
  spoolFile,
  startDaemon,
  wishFor,
} from '../../support/daemon.ts';
import { pack, quickSample, type Sample, writeTree } from '../../support/definitions.ts';
import { hostCodename, testCache } from '../../support/environment.ts';
import { until } from '../../support/until.ts';

const MiB = 1024 ** 2;
/** Milliseconds for a build that makes its environment, on a busy machine. */
const PATIENCE = 300_000;
const noGroups = process.getuid?.() === 0 ? false : 'needs control groups, which only root may make here';

interface Ended {
  readonly result: string;
  readonly cause: string;
  readonly reason: string;
  /** Lines of the journal. */
  readonly log: readonly string[];
}

describe('limits', () => {
  let home: Home;
  let daemon: RunningDaemon;
  before(async () => {
    home = makeHome();
    home.configure(
      'rackwright.ini',
      `[dirs]\ncache = ${join(testCache(), 'journey')}\n[tasks]\nworkers = 2\nmax_workers = 2\n[keyring]\ntype = ed25519\n[format:deb]\nlintian = no\n[sandbox]\nmemory = 3 GiB\n`,
    );
    for (const id of ['tight', 'roomy']) define(id, '');
    daemon = await startDaemon(home);
    // Keyring, environment and build dependencies are made before any limit counts.
    const ready = await Promise.all(['tight', 'roomy'].map(id => build(id, quickSample(home.path, 'ready'))));
    for (const { result, reason } of ready) assert.equal(result, 'TASK_RESULT_SUCCESS', reason);
  });
  after(async () => {
    await daemon?.stop();
    home.remove();
  });

  function define(id: string, limits: string): void {
    home.configure(
      `instances.d/${id}.yml`,
      `name: ${id}\ngpg: {name: Team, email: team@example.org}\nformats:\n  deb:\n  - {name: ${hostCodename()}, env: ${hostCodename()}}\n${limits}`,
    );
  }

  /** Gives an instance limits as an administrator does. */
  async function limit(id: string, limits: string): Promise<void> {
    define(id, `limits: {${limits}}\n`);
    await daemon.service('DaemonService').reloadSettings({});
  }

  /** A package whose build does this first, with a definition that states those limits. */
  function sample(artifact: string, command: string, limits: string): Sample {
    const made = quickSample(home.path, artifact);
    const rules = readFileSync(join(made.folder, 'deb/rules'), 'utf8');
    const artifactYml = readFileSync(join(made.folder, 'artifact.yml'), 'utf8');
    writeTree(made.folder, {
      'deb/rules': rules.replace('binary-indep:\n', `binary-indep:\n\t${command}\n`),
      'artifact.yml': `${artifactYml}limits: {${limits}}\n`,
    });
    return made;
  }

  async function build(instance: string, { artifact, folder, sources }: Sample): Promise<Ended> {
    const definition = pack(folder, join(home.path, 'sent', `${instance}-${artifact}.tar`));
    const { task } = await daemon.service('BuildService').submitBuild({
      ...wishFor(artifact, spoolFile(home, definition)),
      ...{ instance, distribution: hostCodename() },
      sources: sources.map(({ id, path }) => ({ id, file: spoolFile(home, path) })),
    });
    const look = async () => (await daemon.service('TaskService').getTask({ instance, task })).task;
    await until(async () => (await look())?.state === 'TASK_STATE_FINISHED', PATIENCE);
    const { result = '', cause = '', reason = '', place = '' } = (await look()) ?? {};
    const journal = [...new FrameReader().push(readFileSync(join(place, 'task.journal')))];
    return { result, cause, reason, log: journal.flatMap(frame => decodeLog(frame.payload)?.text ?? []) };
  }

  test('of one instance end its builds, and a definition neither raises them nor is bound by another instance', {
    skip: noGroups,
  }, async () => {
    await limit('tight', 'memory: 128 MiB');
    const hungry = sample(
      'hungry',
      'head -c 300000000 /dev/zero | tail -c 300000000 >/dev/null',
      'memory: 1 GiB',
    );
    const [tight, roomy] = await Promise.all(['tight', 'roomy'].map(id => build(id, hungry)));
    assert.equal(tight?.cause, 'out-of-memory', tight?.log.join('\n'));
    const stays = `artifact.yml asks for more than the instance allows; what stays: memory ${128 * MiB} bytes.`;
    assert.equal(tight?.log.filter(line => line === stays).length, 1, tight?.log.join('\n'));
    assert.equal(roomy?.result, 'TASK_RESULT_SUCCESS', roomy?.log.join('\n'));
    assert.ok(roomy?.log.includes(`limits lowered by artifact.yml: memory ${1024 * MiB} bytes`));
  });

  test('on time are the lower of instance and definition', async () => {
    await limit('tight', 'timeout: 15');
    await limit('roomy', 'timeout: 10 min');
    const [tight, roomy] = await Promise.all([
      build('tight', sample('slow', 'sleep 600', 'timeout: 1 h')),
      build('roomy', sample('slower', 'sleep 600', 'timeout: 16')),
    ]);
    assert.deepEqual([tight.cause, roomy.cause], ['timeout-total', 'timeout-total']);
    assert.match(tight.reason, /limit of 15 s/);
    assert.match(roomy.reason, /limit of 16 s/);
    assert.ok(
      tight.log.includes('artifact.yml asks for more than the instance allows; what stays: timeout 15 s.'),
    );
    assert.ok(roomy.log.includes('limits lowered by artifact.yml: timeout 16 s'));
  });

  test("are told with their instance, the daemon's where it states none", async () => {
    await limit('tight', 'cpus: 1.5, disk: 0');
    const { instance } = await daemon.service('InstanceService').getInstance({ instance: 'tight' });
    assert.deepEqual(
      { ...instance?.limits },
      { memory: 3072 * MiB, cpus: 1.5, pids: 4096, disk: 0, timeout: 14_400, idleTimeout: 1800 },
    );
  });

  test('that can not be read are refused with file and line; those before stay', async () => {
    await limit('tight', 'timeout: 70');
    await assert.rejects(limit('tight', 'timeout: 1 week, memory: 5'), {
      reason: 'bad-settings',
      message: /instances\.d\/tight\.yml:6:\d+: limits\.timeout: "1 week" is not a duration/,
    });
    const { instance } = await daemon.service('InstanceService').getInstance({ instance: 'tight' });
    assert.equal(instance?.limits?.timeout, 70);
  });
});
