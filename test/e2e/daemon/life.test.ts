/** The daemon as its clients meet it: from an empty home, over its sockets, through restarts, cancels and kills. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { COMMAND, decodeEnd, FrameReader } from '../../../proto/frame.ts';
import {
  failDaemon,
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
  until,
} from '../../support/daemon.ts';

const INSTANCE = { instance: 'default' };
const INSTANCE_FILE = `name: An instance
gpg: {name: Team, email: team@example.org}
formats:
  deb:
  - {name: bookworm, env: bookworm, tag: deb12}
`;

describe('the daemon in an empty home', () => {
  let home: Home;
  let daemon: RunningDaemon;
  before(async () => {
    home = makeHome();
    daemon = await startDaemon(home);
  });
  after(async () => {
    await daemon.stop();
    home.remove();
  });

  test('serves an instance that fits the host', async () => {
    const { instances } = await daemon.service('InstanceService').listInstances({});
    assert.deepEqual(
      instances.map(instance => instance.id),
      ['default'],
    );
    const { pipelines } = await daemon.service('InstanceService').listPipelines(INSTANCE);
    const codename = /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    assert.equal(pipelines[0]?.distribution, codename);
  });

  test('lets anonymous callers look and not touch on the edge socket', async () => {
    const who = await daemon.service('TokenService', 'edge').whoAmI(INSTANCE);
    assert.deepEqual(who.actions, ['view-keyring', 'view-pipeline', 'view-registry', 'view-task']);
    await assert.rejects(daemon.service('KeyringService', 'edge').createKeyring(INSTANCE), {
      kind: 'forbidden',
      reason: 'no-permission',
    });
    await assert.rejects(daemon.service('InstanceService', 'edge').getInstance({ instance: 'none' }), {
      kind: 'not_found',
    });
  });

  test('counts no login that a caller names itself on the edge socket', async () => {
    const who = await daemon.service('TokenService', 'edge').whoAmI(INSTANCE, { login: 'root' });
    assert.equal(who.login, 'anonymous');
  });

  test('issues tokens on the control socket that count on the edge socket until they are revoked', async () => {
    const { token, issued } = await daemon
      .service('TokenService')
      .issueToken({ ...INSTANCE, subject: 'jane' });
    const call = { authorization: `Bearer ${token}` };
    const edge = daemon.service('TokenService', 'edge');
    assert.equal((await edge.whoAmI(INSTANCE, call)).login, 'jane');
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(payload.exp - payload.iat, 2_592_000);
    assert.equal(payload.aud, 'rackwright');
    await daemon.service('TokenService').revokeToken({ ...INSTANCE, jti: issued?.jti ?? '' });
    await assert.rejects(edge.whoAmI(INSTANCE, call), { kind: 'forbidden', reason: 'token-revoked' });
  });

  test('refuses malformed credentials as forbidden', async () => {
    const edge = daemon.service('TokenService', 'edge');
    for (const authorization of ['Bearer', 'Bearer x.y.z', 'Basic am9lOnB3', 'Bearer a b', '']) {
      await assert.rejects(edge.whoAmI(INSTANCE, { authorization }), { kind: 'forbidden' }, authorization);
    }
  });

  test('refuses a second daemon on the same state within a second, naming the first', async () => {
    const { code, said, took } = await failDaemon(home);
    assert.equal(code, 1);
    assert.match(said, new RegExp(`process ${daemon.child.pid}\\)`));
    // Starting Node on a busy machine is most of it.
    assert.ok(took < 8000, `${took} ms`);
    assert.equal((await daemon.service('InstanceService').listInstances({})).instances.length, 1);
  });

  test('keeps its sockets and secrets from others', () => {
    const mode = (path: string): number => statSync(join(home.path, path)).mode & 0o7777;
    assert.equal(mode('run/control.sock'), 0o660);
    assert.equal(mode('run/edge.sock'), 0o660);
    assert.equal(mode('lib/tokens/default/key'), 0o400);
    assert.equal(mode('lib/state.db'), 0o640);
    assert.equal(mode('lib/spool'), 0o3770);
    assert.match(readFileSync(join(home.path, 'lib/tokens/default/key'), 'ascii'), /^[0-9a-f]{64}$/);
  });
});

describe('settings', () => {
  let home: Home;
  beforeEach(() => {
    home = makeHome();
  });
  afterEach(() => home.remove());

  test('tell every fault at once with file, line and key, and start nothing', async () => {
    home.configure(
      'rackwright.ini',
      '[tasks]\nworkers = many\npurge = oldest:3\n[sandboxx]\na=b\n[images]\nfoo=1\n',
    );
    const { code, said } = await failDaemon(home);
    assert.equal(code, 1);
    assert.match(said, /rackwright\.ini:2: \[tasks\]>workers: "many" is not a whole number/);
    assert.match(said, /rackwright\.ini:3: \[tasks\]>purge: "oldest:3" is no purge policy/);
    assert.match(said, /rackwright\.ini:4: \[sandboxx\]: unknown section; did you mean "sandbox"/);
    assert.match(said, /rackwright\.ini:7: \[images\]>foo: unknown key/);
  });

  test('say of keys that other build services have what became of them', async () => {
    home.configure('rackwright.ini', '[format:deb]\ninit_cmds = foo\n[containers]\ninit_opts = x\n');
    await assert.rejects(
      startDaemon(home),
      /init_cmds: has no equivalent.*\[containers\].*Limits stand in \[sandbox\]/s,
    );
  });

  test('refuse a policy with unknown actions', async () => {
    home.configure('policy.ini', '[roles]\nanonymous\n[anonymous]\nactions=fly\n');
    assert.match((await failDaemon(home)).said, /policy\.ini:4: \[anonymous\]>actions: unknown action fly/);
  });

  test('let one broken instance disable nothing but itself', async () => {
    const good =
      'name: Good\ngpg: {name: G, email: g@example.org}\nformats:\n  deb:\n  - {name: bookworm, env: bookworm}\n';
    home.configure('instances.d/good.yml', good);
    home.configure('instances.d/bad.yml', `${good}architectures: 7\n`);
    home.configure('instances.d/metrics.yml', good);
    const daemon = await startDaemon(home);
    try {
      const { instances } = await daemon.service('InstanceService').listInstances({});
      assert.deepEqual(
        instances.map(instance => instance.id),
        ['good'],
      );
      assert.match(daemon.log(), /bad\.yml:6:1: architectures: must be array/);
      assert.match(daemon.log(), /metrics\.yml: "metrics" is a reserved name/);
    } finally {
      await daemon.stop();
    }
  });
});

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

describe('tasks', () => {
  let home: Home;
  let daemon: RunningDaemon;
  /** Each test has an instance of its own. */
  let turn = -1;
  let here = { instance: '' };
  before(async () => {
    home = makeHome();
    home.configure('rackwright.ini', '[tasks]\nworkers = 2\nmax_workers = 12\n');
    for (const name of NAMES) {
      home.configure(`instances.d/${name}.yml`, INSTANCE_FILE);
      pretendReady(home, name);
    }
    daemon = await startDaemon(home, { quick: true });
  });
  after(async () => {
    await daemon.stop('SIGKILL');
    home.remove();
  });
  beforeEach(() => {
    here = { instance: NAMES[++turn] ?? '' };
  });

  const submit = async (artifact: string, more: object = {}): Promise<string> =>
    (await daemon.service('BuildService').submitBuild(spoolBuild(home, artifact, { ...here, ...more }))).task;
  const get = async (task: string) => {
    const answer = await daemon.service('TaskService').getTask({ ...here, task });
    assert.ok(answer.task);
    return answer.task;
  };
  const state = async (task: string) => (await get(task)).state;
  const finished = (task: string): Promise<void> =>
    until(`task ${task} finishes`, async () => (await state(task)) === 'TASK_STATE_FINISHED');

  test('run, end with their true result and keep their journal', async () => {
    const [good, bad] = [await submit('ok'), await submit('fail')];
    await finished(good);
    await finished(bad);
    assert.equal((await get(good)).result, 'TASK_RESULT_SUCCESS');
    const failed = await get(bad);
    assert.equal(failed.result, 'TASK_RESULT_FAILED');
    assert.equal(failed.cause, 'build-failed');
    assert.equal(failed.reason, 'it was to fail');
    assert.ok(failed.submission <= failed.started && failed.started <= failed.ended);
    assert.equal(readdirSync(join(home.path, 'lib/spool')).length, 0);
    assert.ok(existsSync(join(failed.place, 'task.yml')));
  });

  test('take files with the call, whatever the pieces', async () => {
    const bytes = Buffer.from('0123456789'.repeat(1000));
    const wish = spoolBuild(home, 'ok', here);
    const unused = wish.definition.spool;
    const request = {
      ...wish,
      definition: { filename: 'd', size: bytes.length, sha256: '', spool: '' },
    };
    const send = async function* () {
      yield { request };
      for (let at = 0; at < bytes.length; at += 777) yield { chunk: bytes.subarray(at, at + 777) };
    };
    const { task } = await daemon.service('BuildService').uploadBuild(send());
    await finished(task);
    const place = (await get(task)).place;
    const kept = readdirSync(place).filter(name => name.startsWith('definition'));
    assert.deepEqual(readFileSync(join(place, kept[0] ?? '')), bytes);
    const short = async function* () {
      yield { request };
      yield { chunk: bytes.subarray(0, 10) };
    };
    await assert.rejects(daemon.service('BuildService').uploadBuild(short()), { kind: 'invalid' });
    const spooled = readdirSync(join(home.path, 'lib/spool'));
    assert.deepEqual(spooled, [unused], 'only what the request named in vain is left');
    rmSync(join(home.path, 'lib/spool', unused));
  });

  test('refuse what the pipelines do not know, and remove its files', async () => {
    const wrong = [
      [{ format: 'rpm' }, 'not_found'],
      [{ distribution: 'sid' }, 'not_found'],
      [{ derivative: 'x' }, 'not_found'],
      [{ architectures: ['sparc'] }, 'not_found'],
      [{ architectures: [''] }, 'invalid'],
      [{ artifact: '../x' }, 'invalid'],
      [{ author: 'a<b' }, 'invalid'],
      [{ message: 'bell \u0007' }, 'invalid'],
      [{ priority: 101 }, 'invalid'],
      [{ definition: { spool: '../../etc/passwd', filename: 'x', size: 1, sha256: '' } }, 'invalid'],
      [{ definition: { spool: 'absent-0', filename: 'x', size: 1, sha256: '' } }, 'invalid'],
    ] as const;
    for (const [change, kind] of wrong) {
      await assert.rejects(submit('ok', change), { kind }, JSON.stringify(change));
    }
    assert.equal((await daemon.service('TaskService').listTasks(here)).tasks.length, 0);
  });

  test('answer the first task to the same submission under the same key, and refuse another', async () => {
    const spooled = (): number => readdirSync(join(home.path, 'lib/spool')).length;
    const left = spooled();
    const first = await submit('ok', { idempotencyKey: 'k1' });
    assert.equal(await submit('ok', { idempotencyKey: 'k1' }), first);
    await assert.rejects(submit('other', { idempotencyKey: 'k1' }), { kind: 'conflict' });
    const both = await Promise.allSettled([
      submit('ok', { idempotencyKey: 'k2' }),
      submit('ok', { idempotencyKey: 'k2' }),
    ]);
    const tasks = (await daemon.service('TaskService').listTasks(here)).tasks.length;
    assert.equal(tasks, 2);
    const refused = both.filter(one => one.status === 'rejected').map(one => one.reason.kind);
    assert.ok(refused.every(kind => kind === 'conflict'));
    assert.equal(spooled(), left);
  });

  test('wait with a reason and a position, obey priorities, and page', async () => {
    const running = [await submit('wait60000-a'), await submit('wait60000-b')];
    const waiting = [];
    for (let at = 0; at < 5; at++) waiting.push(await submit(`ok-${at}`));
    const last = waiting[4] ?? '';
    assert.match((await get(last)).reason, /workers .*are busy/);
    assert.equal((await get(last)).position, 5);
    await daemon.service('TaskService').setPriority({ ...here, task: last, priority: 10 });
    assert.equal((await get(last)).position, 1);
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = await daemon.service('TaskService').listTasks({ ...here, limit: 3, after });
      seen.push(...page.tasks.map(task => task.id));
      after = page.next;
      if (after === '') break;
    }
    assert.deepEqual(seen, [...running, last, ...waiting.slice(0, 4)]);
    const pending = await daemon
      .service('TaskService')
      .listTasks({ ...here, states: ['TASK_STATE_PENDING'], limit: 1 });
    assert.equal(pending.tasks[0]?.id, last);
  });

  test('are cancelled whether they wait, run or do not listen, and leave no process', async () => {
    const stuck = await submit('stuck');
    const calm = await submit('wait60000');
    const waiting = await submit('ok');
    const step = async () => (await get(stuck)).progress?.step ?? '';
    await until('the stubborn process runs', async () => (await step()).startsWith('pid'));
    const cancel = (task: string) => daemon.service('TaskService').cancelTask({ ...here, task });
    assert.equal((await cancel(waiting)).task?.result, 'TASK_RESULT_CANCELLED');
    await cancel(calm);
    await finished(calm);
    assert.equal((await get(calm)).result, 'TASK_RESULT_CANCELLED');
    assert.equal((await get(calm)).reason, 'cancelled by root');
    await assert.rejects(cancel(calm), { kind: 'refused' });
    for (const task of [waiting, calm]) {
      const end = await endOf(daemon, task, here);
      assert.equal(end?.reason, 'cancelled by root');
    }
    const pid = Number((await step()).slice(4));
    process.kill(pid, 'SIGKILL');
    await finished(stuck);
  });

  test('can be retried with the same input, as a task of its own', async () => {
    const first = await submit('fail');
    await finished(first);
    const { task } = await daemon.service('TaskService').retryTask({ ...here, task: first });
    await finished(task);
    const again = await get(task);
    assert.equal(again.retryOf, first);
    const content = (place: string): string =>
      readFileSync(join(place, readdirSync(place).find(name => name.startsWith('definition')) ?? ''), 'utf8');
    assert.equal(content(again.place), content((await get(first)).place));
  });

  test('tell watchers what they are and what becomes of them', async () => {
    const over = new AbortController();
    const seen: string[] = [];
    const slow = await submit('wait300');
    const watching = (async () => {
      const call = { signal: over.signal, timeout: Number.POSITIVE_INFINITY };
      for await (const { task } of daemon.service('TaskService').watchTasks(here, call)) {
        seen.push(`${task?.build?.artifact} ${task?.state}`);
        if (seen.at(-1) === 'ok TASK_STATE_FINISHED') break;
      }
    })();
    await finished(slow);
    await submit('ok');
    await watching;
    over.abort();
    assert.ok(seen.includes('wait300 TASK_STATE_RUNNING'));
    assert.ok(seen.includes('wait300 TASK_STATE_FINISHED'));
  });

  test('are followed from pending to the end frame, byte for byte, and from any frame on', async () => {
    await submit('wait400-a');
    await submit('wait400-b');
    const task = await submit('wait100-c');
    const chunks: Buffer[] = [];
    const call = { timeout: 20_000 };
    const follow = daemon.service('ConsoleService').follow({ ...here, task, heartbeat: 1 }, call);
    for await (const { frames } of follow) chunks.push(Buffer.from(frames));
    // Whoever has read the end finds the result.
    assert.equal(await state(task), 'TASK_STATE_FINISHED');
    const all = [...new FrameReader().push(Buffer.concat(chunks))];
    assert.equal(all[0]?.command, COMMAND.heartbeat);
    const beats = all.filter(frame => frame.command === COMMAND.heartbeat).length;
    const journal = readFileSync((await get(task)).io?.journal ?? '');
    assert.deepEqual(Buffer.concat(chunks).subarray(beats * 8), journal);
    const first = 8 + journal.readUInt32LE(4);
    const rest: Buffer[] = [];
    for await (const { frames } of daemon
      .service('ConsoleService')
      .follow({ ...here, task, offset: first })) {
      rest.push(Buffer.from(frames));
    }
    assert.deepEqual(Buffer.concat(rest), journal.subarray(first));
  });

  test('are purged by policy, with their folders, and never while they run', async () => {
    const old = [];
    for (let at = 0; at < 4; at++) old.push(await submit(`ok-${at}`));
    for (const task of old) await finished(task);
    const running = await submit('wait60000');
    await assert.rejects(daemon.service('TaskService').purgeHistory({ ...here, policy: 'all' }), {
      kind: 'invalid',
    });
    const { task: purge } = await daemon.service('TaskService').purgeHistory({ ...here, policy: 'last:2' });
    await finished(purge);
    const left = await daemon.service('TaskService').listTasks({ ...here, states: ['TASK_STATE_FINISHED'] });
    assert.deepEqual(
      left.tasks.map(task => task.id),
      [purge, old[3], old[2]],
    );
    assert.equal(await state(running), 'TASK_STATE_RUNNING');
  });
});

describe('tasks over restarts', () => {
  let home: Home;
  let daemon: RunningDaemon;
  beforeEach(async () => {
    home = makeHome();
    home.configure('rackwright.ini', '[tasks]\nworkers = 2\nmax_workers = 2\n');
    pretendReady(home);
    daemon = await startDaemon(home, { quick: true });
  });
  afterEach(async () => {
    await daemon.stop('SIGKILL');
    home.remove();
  });

  const submit = async (artifact: string, more: object = {}): Promise<string> =>
    (await daemon.service('BuildService').submitBuild(spoolBuild(home, artifact, more))).task;
  const get = async (task: string) => {
    const answer = await daemon.service('TaskService').getTask({ ...INSTANCE, task });
    assert.ok(answer.task);
    return answer.task;
  };
  const state = async (task: string) => (await get(task)).state;
  const finished = (task: string): Promise<void> =>
    until(`task ${task} finishes`, async () => (await state(task)) === 'TASK_STATE_FINISHED');

  test('are in order and complete after SIGKILL; what ran runs once more and says so', async () => {
    const running = [await submit('wait3000-a'), await submit('wait3000-b')];
    const waiting = [];
    for (let at = 0; at < 10; at++) waiting.push(await submit(`ok-${at}`));
    await until('both run', async () => (await get(running[1] ?? '')).state === 'TASK_STATE_RUNNING');
    await daemon.stop('SIGKILL');
    daemon = await startDaemon(home, { quick: true });
    const listed = await daemon.service('TaskService').listTasks({ ...INSTANCE });
    assert.deepEqual(
      listed.tasks.map(task => task.id),
      [...running, ...waiting],
    );
    for (const task of [...running, ...waiting]) await finished(task);
    for (const task of running) {
      assert.equal((await get(task)).attempts, 2);
      assert.match(readFileSync((await get(task)).io?.journal ?? '', 'utf8'), /attempt 2/);
    }
    assert.equal((await get(waiting[0] ?? '')).attempts, 1);
  });

  test('are given up after a second interruption', async () => {
    const task = await submit('wait60000');
    for (let turn = 0; turn < 2; turn++) {
      await until('it runs', async () => (await state(task)) === 'TASK_STATE_RUNNING');
      await daemon.stop('SIGKILL');
      daemon = await startDaemon(home, { quick: true });
    }
    const ended = await get(task);
    assert.equal(ended.state, 'TASK_STATE_FINISHED');
    assert.equal(ended.cause, 'interrupted');
    assert.equal((await endOf(daemon, task))?.succeeded, false);
  });

  test('wait again after SIGTERM, which ends the daemon in time with exit code 0', async () => {
    const tasks = [await submit('wait60000-a'), await submit('wait60000-b'), await submit('wait60000-c')];
    await until('two run', async () => (await get(tasks[1] ?? '')).state === 'TASK_STATE_RUNNING');
    const began = performance.now();
    assert.equal(await daemon.stop('SIGTERM'), 0);
    assert.ok(performance.now() - began < 10_000);
    daemon = await startDaemon(home, { quick: true });
    const listed = (await daemon.service('TaskService').listTasks(INSTANCE)).tasks;
    assert.deepEqual(
      listed.map(task => task.id),
      tasks,
    );
    for (const task of tasks) await daemon.service('TaskService').cancelTask({ ...INSTANCE, task });
    for (const task of tasks) await finished(task);
    assert.equal((await get(tasks[0] ?? '')).attempts, 2);
  });

  test('are announced to the hook of the site, at start and end', async () => {
    await daemon.stop();
    const seen = join(home.path, 'seen');
    const hook = join(home.path, 'hook.sh');
    writeFileSync(
      hook,
      `#!/bin/sh\necho "$RACKWRIGHT_TASK_STAGE $FATBUILDR_TASK_RESULT $RACKWRIGHT_INSTANCE_ID" >>${seen}\n`,
      {
        mode: 0o755,
      },
    );
    home.configure('rackwright.ini', `[tasks]\nhook = ${hook}\n`);
    daemon = await startDaemon(home, { quick: true });
    await finished(await submit('fail'));
    await until(
      'the hook ran twice',
      async () => existsSync(seen) && readFileSync(seen, 'utf8').split('\n').length > 2,
    );
    assert.equal(readFileSync(seen, 'utf8'), 'start unknown default\nend failed default\n');
  });
});

/** The end frame of a task's journal, as it is followed. */
async function endOf(daemon: RunningDaemon, task: string, where = INSTANCE) {
  const chunks: Buffer[] = [];
  for await (const { frames } of daemon.service('ConsoleService').follow({ ...where, task })) {
    chunks.push(Buffer.from(frames));
  }
  const last = [...new FrameReader().push(Buffer.concat(chunks))].at(-1);
  return last ? decodeEnd(last) : null;
}
