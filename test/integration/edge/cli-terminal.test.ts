/** The command line on a real terminal (tmux): the line of progress below the log, colours, and nothing left behind. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, it } from 'node:test';
import { encodeBytes, encodeLog } from '../../../proto/frame.ts';
import { CLI_MAIN, type CliHome, openCliHome } from '../../support/cli.ts';
import { type CliDaemon, startCliDaemon } from '../../support/cli-daemon.ts';
import { until } from '../../support/until.ts';

const MISSING = spawnSync('tmux', ['-V']).error ? 'the package tmux is not installed' : false;

let home: CliHome;
let daemon: CliDaemon;
/** The tmux server of the present test. Each has its own: one whose last session was killed may be met while it ends. */
let server = '';
let servers = 0;

function tmux(...parameters: string[]): string {
  const run = spawnSync('tmux', ['-L', server, ...parameters], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

/** Opens a terminal of 80 columns in which a command line of ours runs. */
function open(...parameters: string[]): void {
  const words = [process.execPath, CLI_MAIN, '--uri', daemon.socket, ...parameters].map(word => `'${word}'`);
  const command = `cd '${home.path}'; export HOME='${home.path}' TZ=UTC; ${words.join(' ')}; echo "code $?"; sleep 600`;
  server = `rackwright-test-${process.pid}-${servers++}`;
  tmux('new-session', '-d', '-x', '80', '-y', '20', command);
}

/** The screen, once it looks as expected. What two requests bring, such as log and progress, comes in any order. */
async function screen(expected: RegExp, colours = false): Promise<string> {
  let shown = '';
  await until(() => {
    shown = tmux('capture-pane', '-p', ...(colours ? ['-e'] : [])).trimEnd();
    return expected.test(shown);
  }).catch(() => assert.match(shown, expected));
  return shown;
}

before(async () => {
  home = openCliHome();
  daemon = await startCliDaemon(home.path);
  mkdirSync(join(home.path, 'hello/deb'), { recursive: true });
  writeFileSync(join(home.path, 'hello/artifact.yml'), 'version: 1.0\ndeb: {release: 1}\n');
});
afterEach(() => {
  spawnSync('tmux', ['-L', server, 'kill-server']);
});
after(async () => {
  await daemon.stop();
  home.remove();
});

it('shows progress below the log, then leaves the log and the result alone', { skip: MISSING }, async () => {
  const go = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  daemon.show = async function* (task) {
    yield encodeLog('info', 'Building hello');
    task.progress = { step: 'compiling', done: 1, total: 4 };
    yield Buffer.concat(encodeBytes(Buffer.from('gcc one.c\r\ngcc two')));
    await go.promise;
    task.progress = { step: 'packing', done: 3, total: 4 };
    yield Buffer.concat([...encodeBytes(Buffer.from('.c\r\n')), encodeLog('warning', 'no manual page')]);
    await finish.promise;
  };
  open('build', '-a', 'hello', '-n', 'Jane', '-e', 'j@example.org', '-m', 'x');
  await screen(/\nBuilding hello\ngcc one\.c\n█{5}░{15} 1\/4 compiling [\dms.]+$/);
  go.resolve();
  await screen(/\ngcc one\.c\ngcc two\.c\nwarning: no manual page\n█{15}░{5} 3\/4 packing [\dms.]+$/);
  finish.resolve();
  const last = await screen(/code 0/, true);
  assert.doesNotMatch(last, /█|░/);
  assert.match(last, /\x1b\[[\d;]*33m[^\n]*warning: no manual page/);
  assert.match(last, /\x1b\[[\d;]*32m[^\n]*Task succeeded/);
});

it('stops watching on Ctrl-C, says how to go on, and gives the terminal back', {
  skip: MISSING,
}, async () => {
  const never = Promise.withResolvers<void>();
  daemon.show = async function* () {
    yield Buffer.concat(encodeBytes(Buffer.from('still at it\r\n')));
    await never.promise;
  };
  open('build', '-a', 'hello', '-n', 'Jane', '-e', 'j@example.org', '-m', 'x');
  await screen(/still at it\n█|still at it\n░/);
  tmux('send-keys', 'C-c');
  const shown = await screen(/code 130/);
  assert.match(
    shown,
    /still at it\nStopped watching; the task goes on\. See it again with: rackwright watch/,
  );
  never.resolve();
});

it('passes keys and the size of the window to an interactive task', { skip: MISSING }, async () => {
  daemon.typed.length = 0;
  open('images', 'env-shell', '-a', 'x86_64');
  await screen(/\n# $|\n#$/);
  tmux('send-keys', 'l', 's', 'C-c');
  await screen(/# ls/);
  tmux('resize-window', '-x', '100', '-y', '30');
  await until(() => daemon.typed.includes('4:\x1e\x00\x64\x00'));
  assert.equal(daemon.typed[0], '4:\x14\x00\x50\x00');
  // Raw mode: Ctrl-C is a key of the task, not of ours.
  await until(() => daemon.typed.some(typed => /^1:.*\x03/.test(typed)));
  tmux('send-keys', 'exit');
  assert.match(await screen(/code 0/), /Task succeeded/);
});
