/** The daemon as its clients meet it: from an empty home, over its sockets, through restarts, cancels and kills. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { COMMAND, decodeEnd, encodeFrame, FrameReader } from '../../../proto/frame.ts';
import {
  failDaemon,
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
} from '../../support/daemon.ts';
import { until } from '../../support/until.ts';

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
    // Where no instance is named, the token of any one counts, and a bad one is no better than elsewhere.
    const list = (authorization: string) =>
      daemon.service('InstanceService', 'edge').listInstances({}, { authorization });
    assert.equal((await list(call.authorization)).instances.length, 1);
    await assert.rejects(list('Bearer x.y.z'), { kind: 'forbidden', reason: 'token-invalid' });
    await daemon.service('TokenService').revokeToken({ ...INSTANCE, jti: issued?.jti ?? '' });
    await assert.rejects(edge.whoAmI(INSTANCE, call), { kind: 'forbidden', reason: 'token-revoked' });
    await assert.rejects(list(call.authorization), { kind: 'forbidden', reason: 'token-revoked' });
  });

  test('refuses malformed credentials as forbidden', async () => {
    const edge = daemon.service('TokenService', 'edge');
    for (const authorization of ['Bearer', 'Bearer x.y.z', 'Basic am9lOnB3', 'Bearer a b', '']) {
      await assert.rejects(edge.whoAmI(INSTANCE, { authorization }), { kind: 'forbidden' }, authorization);
    }
  });

  test('refuses a second daemon on the same state, naming the first', async () => {
    const { code, said } = await failDaemon(home);
    assert.equal(code, 1);
    assert.match(said, new RegExp(`process ${daemon.child.pid}\\)`));
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

  test('warn of keys that have no effect, each with its place, and of no others', async () => {
    const idle = [
      ...['[images]', 'defs = /usr/share/images', 'create_cmd = mkosi', '[registry]', 'conf = /etc/reprepro'],
      ...['[keyring]', 'type = ed25519', 'seeder = rngd', '[format:osi]', 'builder = mkosi'],
      ...[
        '[format:rpm]',
        'env_default_repos = rocky-9 https://example.org/rocky',
        'env_default_modules = a:1',
      ],
      ...['prescript_deps = wget', 'compression = gz'],
    ];
    home.configure('rackwright.ini', `${idle.join('\n')}\n`);
    const daemon = await startDaemon(home);
    try {
      const said = [...daemon.log().matchAll(/rackwright\.ini:(\d+): (\S+): has no effect here: /g)];
      assert.deepEqual(
        said.map(([, line, key]) => `${line} ${key}`),
        [
          ...['2 [images]>defs', '3 [images]>create_cmd', '5 [registry]>conf', '8 [keyring]>seeder'],
          ...['12 [format:rpm]>env_default_repos', '13 [format:rpm]>env_default_modules'],
          ...['14 [format:rpm]>prescript_deps', '10 [format:osi]>builder'],
        ],
      );
    } finally {
      await daemon.stop();
    }
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

const NAMES = Array.from({ length: 14 }, (_, at) => `i${at}`);

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
    until(async () => (await state(task)) === 'TASK_STATE_FINISHED');

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

  test('are paged so that no answer is too large, however long their messages are', async () => {
    const blocks = [await submit('wait600000-a'), await submit('wait600000-b')];
    const message = 'x'.repeat(64 * 1024);
    const many: string[] = [];
    for (let at = 0; at < 80; at++) many.push(await submit('ok', { message }));
    const seen: string[] = [];
    let [after, pages] = ['', 0];
    do {
      const answer = await daemon.service('TaskService').listTasks({ ...here, limit: 1000, after });
      seen.push(...answer.tasks.map(task => task.id));
      after = answer.next;
      pages++;
    } while (after !== '');
    assert.deepEqual(seen.toSorted(), [...blocks, ...many].toSorted());
    assert.ok(pages > 2);
    for (const task of seen.toReversed()) await daemon.service('TaskService').cancelTask({ ...here, task });
  });

  test('wait with a reason and a position, obey priorities, and page', async () => {
    const running = [await submit('wait600000-a'), await submit('wait600000-b')];
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

  test('that run are told by the time of their start, the first one first, and paged so', async () => {
    const first = await submit('wait600000-first');
    const second = await submit('wait600000-second');
    await until(async () => (await get(second)).state === 'TASK_STATE_RUNNING');
    const late = await submit('wait600000-late');
    const urgent = await submit('wait600000-urgent', { priority: 50 });
    await daemon.service('TaskService').cancelTask({ ...here, task: first });
    await until(async () => (await get(urgent)).state === 'TASK_STATE_RUNNING');
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = await daemon
        .service('TaskService')
        .listTasks({ ...here, states: ['TASK_STATE_RUNNING'], limit: 1, after });
      seen.push(...page.tasks.map(task => task.id));
      after = page.next;
      if (after === '') break;
    }
    assert.deepEqual(seen, [second, urgent], `${late} waits`);
  });

  test('are cancelled whether they wait, run or do not listen, and leave no process', async () => {
    const stuck = await submit('stuck');
    const calm = await submit('wait600000');
    const waiting = await submit('ok');
    const step = async () => (await get(stuck)).progress?.step ?? '';
    await until(async () => (await step()).startsWith('pid'));
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
    const slow = await submit('held');
    const watching = (async () => {
      const call = { signal: over.signal, timeout: Number.POSITIVE_INFINITY };
      for await (const { task } of daemon.service('TaskService').watchTasks(here, call)) {
        seen.push(`${task?.build?.artifact} ${task?.state}`);
        if (seen.at(-1) === 'ok TASK_STATE_FINISHED') break;
      }
    })();
    await until(() => seen.includes('held TASK_STATE_RUNNING'));
    release(await get(slow));
    await finished(slow);
    await submit('ok');
    await watching;
    over.abort();
    assert.ok(seen.includes('held TASK_STATE_FINISHED'));
  });

  test('are watched by 2,000 at once; more are refused, however slowly they read', async () => {
    const over = new AbortController();
    const call = { signal: over.signal, timeout: Number.POSITIVE_INFINITY };
    const message = 'x'.repeat(4000);
    const tasks = await Promise.all(Array.from({ length: 100 }, () => submit('wait600000', { message })));
    const [task = ''] = tasks;
    const { watchTasks } = daemon.service('TaskService');
    const watchers = Array.from({ length: 2000 }, () =>
      watchTasks({ ...here, task }, call)[Symbol.asyncIterator](),
    );
    for (const { value } of await Promise.all(watchers.map(one => one.next()))) {
      assert.equal(value?.task?.id, task);
    }
    // It is told what there is before it is refused: the refusal has to wait until it has read that.
    const late = watchTasks(here, call)[Symbol.asyncIterator]();
    await late.next();
    await new Promise(resolve => setTimeout(resolve, 300));
    const drain = async (watcher: typeof late): Promise<void> => {
      while (!(await watcher.next()).done);
    };
    await assert.rejects(drain(late), { kind: 'exhausted', reason: 'busy' });
    const { cancelTask } = daemon.service('TaskService');
    await Promise.all(tasks.map(id => cancelTask({ ...here, task: id })));
    // The daemon itself is among those who watch.
    const ends = await Promise.allSettled(watchers.map(drain));
    assert.ok(ends.filter(({ status }) => status === 'rejected').length < 10);
  });

  test('are watched on by who stays when 1,500 others leave the same connection at once', async () => {
    const task = await submit('wait600000');
    const { watchTasks, cancelTask } = daemon.service('TaskService');
    const { follow } = daemon.service('ConsoleService');
    const watching = new AbortController();
    const endless = (signal: AbortSignal) => ({ signal, timeout: Number.POSITIVE_INFINITY });
    const stays = watchTasks({ ...here, task }, endless(watching.signal))[Symbol.asyncIterator]();
    await stays.next();
    const leaving = new AbortController();
    const others = Array.from({ length: 1500 }, () =>
      follow({ ...here, task }, endless(leaving.signal))[Symbol.asyncIterator](),
    );
    await Promise.all(others.map(one => one.next()));
    leaving.abort();
    await Promise.allSettled(others.map(one => one.next()));
    await cancelTask({ ...here, task });
    let last = '';
    for (;;) {
      const { value, done } = await stays.next();
      if (done) break;
      last = value.task?.state ?? '';
    }
    assert.equal(last, 'TASK_STATE_FINISHED');
  });

  test('are followed from pending to the end frame, byte for byte, and from any frame on', async () => {
    const before = [await submit('held-a'), await submit('held-b')];
    const task = await submit('wait100-c');
    const chunks: Buffer[] = [];
    const call = { timeout: Number.POSITIVE_INFINITY };
    const follow = daemon.service('ConsoleService').follow({ ...here, task, heartbeat: 1 }, call);
    for await (const { frames } of follow) {
      // It waits until something was heard of it.
      if (chunks.length === 0) for (const other of before) release(await get(other));
      chunks.push(Buffer.from(frames));
    }
    // Whoever has read the end finds the result.
    assert.equal(await state(task), 'TASK_STATE_FINISHED');
    const all = [...new FrameReader().push(Buffer.concat(chunks))];
    assert.equal(all[0]?.command, COMMAND.heartbeat);
    // After silence, however short the task is, there may be more of them.
    const told = all.filter(frame => frame.command !== COMMAND.heartbeat);
    const journal = readFileSync((await get(task)).io?.journal ?? '');
    assert.deepEqual(Buffer.concat(told.map(frame => encodeFrame(frame.command, frame.payload))), journal);
    const first = 8 + journal.readUInt32LE(4);
    const rest: Buffer[] = [];
    for await (const { frames } of daemon
      .service('ConsoleService')
      .follow({ ...here, task, offset: first })) {
      rest.push(Buffer.from(frames));
    }
    assert.deepEqual(Buffer.concat(rest), journal.subarray(first));
    // R42: past the end, a journal that is still written is waited for.
    const running = await submit('held-d');
    await until(async () => (await state(running)) === 'TASK_STATE_RUNNING');
    const past = { ...here, task: running, offset: 1_000_000, heartbeat: 1 };
    for await (const { frames } of daemon.service('ConsoleService').follow(past, call)) {
      for (const frame of new FrameReader().push(frames)) assert.equal(frame.command, COMMAND.heartbeat);
      release(await get(running));
    }
    assert.equal(await state(running), 'TASK_STATE_FINISHED');
  });

  test('are purged by policy, with their folders, and never while they run', async () => {
    const old = [];
    for (let at = 0; at < 4; at++) {
      const task = await submit(`ok-${at}`);
      // One after the other: the last are those that ended last.
      await finished(task);
      old.push(task);
    }
    const running = await submit('wait600000');
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
    until(async () => (await state(task)) === 'TASK_STATE_FINISHED');

  test('are in order and complete after SIGKILL; what ran runs once more and says so', async () => {
    const running = [await submit('held-a'), await submit('held-b')];
    const waiting = [];
    for (let at = 0; at < 10; at++) waiting.push(await submit(`ok-${at}`));
    await until(async () => (await get(running[1] ?? '')).state === 'TASK_STATE_RUNNING');
    await daemon.stop('SIGKILL');
    daemon = await startDaemon(home, { quick: true });
    const listed = await daemon.service('TaskService').listTasks({ ...INSTANCE });
    assert.deepEqual(
      listed.tasks.map(task => task.id),
      [...running, ...waiting],
    );
    for (const task of running) release(await get(task));
    for (const task of [...running, ...waiting]) await finished(task);
    for (const task of running) {
      assert.equal((await get(task)).attempts, 2);
      assert.match(readFileSync((await get(task)).io?.journal ?? '', 'utf8'), /attempt 2/);
    }
    assert.equal((await get(waiting[0] ?? '')).attempts, 1);
  });

  test('are given up after a second interruption', async () => {
    const task = await submit('wait600000');
    for (let turn = 0; turn < 2; turn++) {
      await until(async () => (await state(task)) === 'TASK_STATE_RUNNING');
      await daemon.stop('SIGKILL');
      daemon = await startDaemon(home, { quick: true });
    }
    const ended = await get(task);
    assert.equal(ended.state, 'TASK_STATE_FINISHED');
    assert.equal(ended.cause, 'interrupted');
    assert.equal((await endOf(daemon, task))?.succeeded, false);
  });

  test('wait again after SIGTERM, which ends the daemon before they would end, with exit code 0', async () => {
    const tasks = [await submit('wait600000-a'), await submit('wait600000-b'), await submit('wait600000-c')];
    await until(async () => (await get(tasks[1] ?? '')).state === 'TASK_STATE_RUNNING');
    const { place } = await get(tasks[0] ?? '');
    assert.equal(await daemon.stop('SIGTERM'), 0);
    assert.equal(readFileSync(join(place, 'runs'), 'utf8'), 'start 1\n', 'it was stopped, not waited for');
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
      // The line comes last: whoever sees it finds the rest whole.
      `#!/bin/sh
echo "$RACKWRIGHT_TASK_METADATA" | base64 -d >${seen}.metadata
echo "$RACKWRIGHT_TASK_STAGE $FATBUILDR_TASK_RESULT $RACKWRIGHT_INSTANCE_ID" >>${seen}
`,
      {
        mode: 0o755,
      },
    );
    home.configure('rackwright.ini', `[tasks]\nhook = ${hook}\n`);
    daemon = await startDaemon(home, { quick: true });
    await finished(await submit('fail'));
    await until(async () => existsSync(seen) && readFileSync(seen, 'utf8').split('\n').length > 2);
    assert.equal(readFileSync(seen, 'utf8'), 'start unknown default\nend failed default\n');
    // A variable holds 128 KiB, and quotes are two characters of JSON each.
    rmSync(seen);
    await finished(await submit('ok', { message: '"'.repeat(64 * 1024) }));
    await until(async () => existsSync(seen) && readFileSync(seen, 'utf8').split('\n').length > 2);
    const told = JSON.parse(readFileSync(`${seen}.metadata`, 'utf8')) as {
      artifact: string;
      message: string;
    };
    assert.deepEqual(told.artifact, 'ok');
    assert.equal(told.message, `${'"'.repeat(1000)}…`);
  });
});

/** Lets a task end that is held. */
function release({ place }: { readonly place: string }): void {
  writeFileSync(join(place, 'go'), '');
}

/** The end frame of a task's journal, as it is followed. */
async function endOf(daemon: RunningDaemon, task: string, where = INSTANCE) {
  const chunks: Buffer[] = [];
  for await (const { frames } of daemon.service('ConsoleService').follow({ ...where, task })) {
    chunks.push(Buffer.from(frames));
  }
  const last = [...new FrameReader().push(Buffer.concat(chunks))].at(-1);
  return last ? decodeEnd(last) : null;
}
