/** Interactive builds through the real daemon: a failure opens a shell in the build's sandbox, typed to from anywhere on this host. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  COMMAND,
  decodeEnd,
  decodeLog,
  encodeBytes,
  encodeWinch,
  type Frame,
  FrameReader,
} from '../../../proto/frame.ts';
import { Terminal } from '../../../workers/console/terminal.ts';
import { CLI_MAIN, cliEnvironment } from '../../support/cli.ts';
import { type Home, makeHome, type RunningDaemon, startDaemon } from '../../support/daemon.ts';
import { pack, type Sample, tinySample } from '../../support/definitions.ts';
import { hostCodename, testCache } from '../../support/environment.ts';

/** Milliseconds until what must come has come, on a busy machine. */
const PATIENCE = 240_000;
const INSTANCE = { instance: 'default' };
/** Fails after it has shown what it was given to read. */
const RULES = `#!/usr/bin/make -f
%:
\t@echo "stdin [$$(cat)]"
\t@echo broken on purpose; exit 3
`;

describe('an interactive build', () => {
  let home: Home;
  let daemon: RunningDaemon;
  before(async () => {
    home = makeHome();
    home.configure(
      'rackwright.ini',
      `[dirs]\ncache = ${join(testCache(), 'journey')}\n[keyring]\ntype = ed25519\n[format:deb]\nlintian = no\n`,
    );
    daemon = await startDaemon(home);
  });
  after(async () => {
    await daemon?.stop();
    home.remove();
  });

  test('that fails opens a shell where it failed, for whoever attaches, and ends as failed', async () => {
    const task = await submit(daemon, home, 'broken', true);
    const one = attach(daemon, task);
    await one.shows(/broken on purpose/);
    await one.raw(true);
    const { task: told } = await daemon.service('TaskService').getTask({ ...INSTANCE, task });
    assert.equal(told?.state, 'TASK_STATE_RUNNING');
    assert.equal(told?.io?.interactive, true);
    // The second one comes late, by the task's own socket, sees all that there was and types as well.
    const two = connectTo(told?.io?.console ?? '');
    await two.raw(true);
    await two.shows(/broken on purpose/);
    one.send(encodeWinch(33, 101), ...encodeBytes(Buffer.from('stty size; echo "in $PWD as $(id -u)"\r')));
    await two.shows(/33 101\r\nin \/build\/broken-1\.0 as 1000\r\n/);
    two.send(...encodeBytes(Buffer.from('tty >/dev/null && echo on a $(expr 40 + 2) terminal\r')));
    await one.shows(/[\r\n]on a 42 terminal\r\n/);
    // Ctrl-C is for what runs in the shell, not for the shell or the task.
    two.send(...encodeBytes(Buffer.from('sh -c "echo sl\'\'eeping; exec sleep 1000"\r')));
    await one.shows(/[\r\n]sleeping\r\n/);
    one.send(...encodeBytes(Buffer.from('\x03')), ...encodeBytes(Buffer.from('echo code $?\r')));
    await two.shows(/code 130\r\n/);
    // Still no network, and what the build left is there.
    one.send(...encodeBytes(Buffer.from('ls -d debian; cat /proc/net/dev | grep -c :\r')));
    await two.shows(/[\r\n]debian\r\n1\r\n/);
    one.send(...encodeBytes(Buffer.from('exit\r')));
    assert.deepEqual(await one.end, { succeeded: false, reason: 'build-failed' });
    assert.deepEqual(await two.end, { succeeded: false, reason: 'build-failed' });
    await one.raw(false);
    const { task: ended } = await daemon.service('TaskService').getTask({ ...INSTANCE, task });
    assert.equal(ended?.result, 'TASK_RESULT_FAILED');
    assert.equal(ended?.cause, 'build-failed');
    // Both saw what the journal holds, and no line of ours lies between raw mode and its end.
    const journal = [...new FrameReader().push(readFileSync(join(ended?.place ?? '', 'task.journal')))];
    assert.equal(two.output(), outputOf(journal));
    const commands = journal.map(frame => frame.command);
    const [from, to] = [commands.indexOf(COMMAND.rawEnable), commands.indexOf(COMMAND.rawDisable)];
    assert.ok(from > 0 && to > from, `${from} ${to}`);
    assert.deepEqual([...new Set(commands.slice(from + 1, to))], [COMMAND.bytes]);
    assert.match(outputOf(journal), /stdin \[\]/);
    assert.equal(existsSync(join(ended?.place ?? '', 'build-amd64')), false);
  });

  test('in whose shell nothing is typed can be cancelled, and leaves nothing running', async () => {
    const task = await submit(daemon, home, 'left', true);
    const one = attach(daemon, task);
    await one.raw(true);
    one.send(...encodeBytes(Buffer.from('sleep 4321 & echo st""arted\r')));
    await one.shows(/[\r\n]started\r\n/);
    await daemon.service('TaskService').cancelTask({ ...INSTANCE, task });
    assert.equal((await one.end)?.succeeded, false);
    const { task: ended } = await daemon.service('TaskService').getTask({ ...INSTANCE, task });
    assert.equal(ended?.result, 'TASK_RESULT_CANCELLED');
    assert.equal(spawnSync('pgrep', ['-fx', 'sleep 4321']).status, 1);
    assert.equal(existsSync(join(ended?.place ?? '', 'build-amd64')), false);
  });

  test('of the command line hands its terminal over, and tells by its exit code how it went', async () => {
    tinySample(home.path, 'typed', { files: { 'deb/rules': RULES } });
    const socket = join(home.path, 'run/control.sock');
    const sent = [
      '-b',
      home.path,
      '-s',
      'typed-definition',
      '--sources',
      `1.0@${join(home.path, 'typed-source')}`,
    ];
    const words = [
      'build',
      '-a',
      'typed',
      '-n',
      'Jane',
      '-e',
      'jane@example.org',
      '-m',
      'Try',
      '-i',
      ...sent,
    ];
    let output = '';
    let next = 0;
    // What is typed when the terminal shows it.
    const script: [RegExp, string][] = [
      [/broken on purpose[^$]*\$ $/, 'echo "by $(expr 6 \\* 7) keys"\r'],
      [/[\r\n]by 42 keys\r+\n/, 'exit\r'],
    ];
    const terminal = new Terminal({
      command: [process.execPath, CLI_MAIN, '--uri', socket, ...words],
      env: { ...cliEnvironment(home.path), TERM: 'vt100' } as Record<string, string>,
      input: 'terminal',
      onOutput: bytes => {
        output += bytes.toString('utf8');
        const [shown, typed] = script[next] ?? [null, ''];
        if (!shown?.test(output)) return;
        next++;
        terminal.write(Buffer.from(typed));
      },
    });
    const late = setTimeout(() => process.kill(terminal.pid, 'SIGKILL'), PATIENCE);
    assert.deepEqual(await terminal.exited, { code: 3, signal: null }, output);
    clearTimeout(late);
    assert.match(output, /Task failed: the build for \w+ ended with exit code 2/);
  });

  test('is refused at the edge, and a build that is not interactive hears nobody', async () => {
    const wish = requestOf(home, 'broken', true).request;
    await assert.rejects(daemon.service('BuildService', 'edge').submitBuild(wish), { kind: 'forbidden' });
    const task = await submit(daemon, home, 'deaf', false);
    const one = attach(daemon, task);
    one.send(...encodeBytes(Buffer.from('typed in vain\r')));
    assert.deepEqual(await one.end, { succeeded: false, reason: 'build-failed' });
    assert.match(one.output(), /stdin \[\]/);
    assert.doesNotMatch(one.output(), /typed in vain/);
    assert.equal(one.commands().includes(COMMAND.rawEnable), false);
  });
});

function requestOf(home: Home, artifact: string, interactive: boolean) {
  const sample: Sample = tinySample(home.path, artifact, { files: { 'deb/rules': RULES } });
  const paths = [pack(sample.folder, join(home.path, `${artifact}.tar`)), sample.sources[0]?.path ?? ''];
  const [definition = null, file = null] = paths.map(path => {
    const bytes = readFileSync(path);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { spool: '', filename: basename(path), size: bytes.length, sha256 };
  });
  const request = {
    ...{
      ...INSTANCE,
      format: 'deb',
      distribution: hostCodename(),
      derivative: 'main',
      artifact,
      interactive,
    },
    ...{ architectures: ['x86_64'], author: 'Jane Roe', email: 'jane@example.org', message: 'Try' },
    ...{ definition, sources: [{ id: artifact, file }] },
  };
  return { request, paths };
}

async function submit(
  daemon: RunningDaemon,
  home: Home,
  artifact: string,
  interactive: boolean,
): Promise<string> {
  const { request, paths } = requestOf(home, artifact, interactive);
  const parts = async function* () {
    yield { request };
    for (const path of paths) yield { chunk: readFileSync(path) };
  };
  return (await daemon.service('BuildService').uploadBuild(parts())).task;
}

/** Somebody at a console: what it shows, and the way to type. */
interface Watcher {
  /** Waits until the output so far has it. */
  shows(expected: RegExp): Promise<void>;
  /** Waits until the terminal was asked to be raw, or no longer. */
  raw(on: boolean): Promise<void>;
  send(...frames: Buffer[]): void;
  output(): string;
  commands(): number[];
  readonly end: Promise<ReturnType<typeof decodeEnd>>;
}

function attach(daemon: RunningDaemon, task: string): Watcher {
  const waiting: Buffer[] = [Buffer.alloc(0)];
  let wake: () => void = () => undefined;
  const requests = async function* () {
    for (;;) {
      const frames = waiting.shift();
      if (frames) yield { ...INSTANCE, task, frames };
      else await new Promise<void>(resolve => (wake = resolve));
    }
  };
  const answers = daemon.service('ConsoleService').attach(requests(), { timeout: 600_000 });
  const bytes = async function* () {
    for await (const { frames } of answers) yield frames;
  };
  return watch(bytes(), frames => {
    waiting.push(...frames);
    wake();
  });
}

function connectTo(path: string): Watcher {
  const socket = createConnection(path);
  return watch(socket, frames => {
    for (const frame of frames) socket.write(frame);
  });
}

function watch(bytes: AsyncIterable<Buffer>, send: (frames: readonly Buffer[]) => void): Watcher {
  const frames: Frame[] = [];
  const news = new EventTarget();
  let over = false;
  const end = (async () => {
    const reader = new FrameReader();
    let last: ReturnType<typeof decodeEnd> = null;
    for await (const chunk of bytes) {
      for (const frame of reader.push(chunk)) {
        if (frame.command === COMMAND.heartbeat) continue;
        frames.push(frame);
        last = decodeEnd(frame) ?? last;
      }
      news.dispatchEvent(new Event('frames'));
      if (last) break;
    }
    over = true;
    news.dispatchEvent(new Event('frames'));
    return last;
  })();
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    const late = AbortSignal.timeout(PATIENCE);
    while (!holds()) {
      assert.ok(!over && !late.aborted, `${what} never came:\n${linesOf(frames)}\n${outputOf(frames)}`);
      await once(news, 'frames', { signal: late }).catch(() => undefined);
    }
  };
  const last = (): number | undefined =>
    frames.findLast(({ command }) => command === COMMAND.rawEnable || command === COMMAND.rawDisable)
      ?.command;
  return {
    shows: expected => until(String(expected), () => expected.test(outputOf(frames))),
    raw: on => until(`raw ${on}`, () => last() === (on ? COMMAND.rawEnable : COMMAND.rawDisable)),
    send: (...typed) => send(typed),
    output: () => outputOf(frames),
    commands: () => frames.map(frame => frame.command),
    end,
  };
}

function outputOf(frames: readonly Frame[]): string {
  const output = frames.filter(frame => frame.command === COMMAND.bytes).map(frame => frame.payload);
  return Buffer.concat(output).toString('utf8');
}

function linesOf(frames: readonly Frame[]): string {
  const logs = frames.filter(frame => frame.command === COMMAND.log).map(frame => decodeLog(frame.payload));
  return logs.map(log => log?.text ?? '').join('\n');
}
