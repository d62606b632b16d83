/** What `rackwright up` owes its two processes: the settings' port, an end when it is killed, news of a hangup. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLI_MAIN } from '../support/cli.ts';
import { type Home, makeHome } from '../support/daemon.ts';
import { freePort, until } from '../support/until.ts';

/** Milliseconds for anything here; machines that test are busy. */
const LIMIT = 600_000;
const NO_SCRIPT = spawnSync('script', ['--version']).error ? 'there is no script(1)' : false;
const ENTRIES = {
  daemon: fileURLToPath(new URL('../../daemon/main.ts', import.meta.url)),
  edge: fileURLToPath(new URL('../../edge/main.ts', import.meta.url)),
};

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** All that it has said so far. */
  said(): string;
}

let home: Home;
let started: Started[] = [];
beforeEach(() => {
  home = makeHome();
  started = [];
});
afterEach(async () => {
  for (const { child, ended } of started) {
    const below = descendantsOf(child.pid!);
    child.kill('SIGKILL');
    await ended;
    // They end by themselves, and write to the home until then.
    await until(() => below.every(isGone));
  }
  home.remove();
});

function start(...words: string[]): Started {
  const child = spawn(process.execPath, words, { stdio: 'pipe', timeout: LIMIT });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += chunk;
    });
  // When all that it said was read, too.
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  const one = { child, ended, said: () => said };
  started.push(one);
  return one;
}

/** Resolves with what a line of the output begins with `word` and then says. */
function word(of: Started, word: string): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: of.child.stdout! }).on('line', line => {
      if (line.startsWith(`${word} `)) resolve(line.slice(word.length + 1));
    });
    void of.ended.then(code => reject(new Error(`ended with ${code}: ${of.said()}`)));
  });
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
const isGone = (pid: number): boolean => !existsSync(`/proc/${pid}`);

/** Children of a process, theirs and so on; none of one that is gone. */
function descendantsOf(pid: number): number[] {
  try {
    return childrenOf(pid).flatMap(child => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

describe('rackwright up', () => {
  it('takes the port of the settings where it is told none', async () => {
    const port = await freePort();
    home.configure('rackwright.ini', `[edge]\nport = ${port}\n`);
    const up = start(CLI_MAIN, 'up', '--home', home.path);
    assert.equal(await word(up, 'ready'), `http://127.0.0.1:${port}`);
    up.child.kill('SIGTERM');
    assert.equal(await up.ended, 0);
  });

  it('takes both along when it is killed, so that the next one can start', async () => {
    const up = start(CLI_MAIN, 'up', '--home', home.path, '--port', '0');
    await word(up, 'ready');
    const parts = childrenOf(up.child.pid!);
    assert.equal(parts.length, 2);
    up.child.kill('SIGKILL');
    await until(() => parts.every(isGone));
    await word(start(CLI_MAIN, 'up', '--home', home.path, '--port', '0'), 'ready');
  });

  it('says what to do about a home whose sockets can not be, and takes a short folder for them', async () => {
    const long = makeHome(home.path);
    const deep = join(long.path, 'x'.repeat(100));
    const up = start(CLI_MAIN, 'up', '--home', deep, '--port', '0');
    assert.equal(await up.ended, 1);
    const length = Buffer.byteLength(join(deep, 'run/control.sock'));
    assert.match(
      up.said(),
      new RegExp(`control\\.sock has ${length} bytes, .* may have 107: choose a shorter home, or set`),
    );
    assert.doesNotMatch(up.said(), / at .*\.ts:\d+|EPIPE|EINVAL/);
    mkdirSync(join(deep, 'etc'), { recursive: true });
    writeFileSync(join(deep, 'etc/rackwright.ini'), `[dirs]\nrun = ${join(home.path, 'r')}\n`);
    await word(start(CLI_MAIN, 'up', '--home', deep, '--port', '0'), 'ready');
  });

  it('passes a hangup on: daemon and edge read their settings again', async () => {
    const up = start(CLI_MAIN, 'up', '--home', home.path, '--port', '0');
    await word(up, 'ready');
    up.child.kill('SIGHUP');
    for (const name of ['rackwrightd', 'rackwright-edge'])
      await until(() => new RegExp(`${name}.*settings reloaded`).test(up.said()));
    up.child.kill('SIGTERM');
    assert.equal(await up.ended, 0);
  });

  it('ends when the terminal it was started at is closed', { skip: NO_SCRIPT }, async () => {
    // script(1) runs it on a terminal of its own, which dies with it.
    const command = [process.execPath, CLI_MAIN, 'up', '--home', home.path, '--port', '0'].join(' ');
    const terminal = start(
      '-e',
      `require('child_process').spawn('script', ['-qec', '${command}', '/dev/null'], { stdio: 'inherit' })`,
    );
    const script = await word(terminal, 'ready').then(() => childrenOf(terminal.child.pid!)[0]!);
    const [up = 0] = childrenOf(script);
    const all = [up, ...childrenOf(up)];
    process.kill(script, 'SIGKILL');
    await until(() => all.every(isGone));
  });
});

describe('a process with a lifeline', () => {
  for (const [name, entry] of Object.entries(ENTRIES)) {
    it(`ends in order when it closes, though nobody hears it any more: ${name}`, async () => {
      const more = name === 'edge' ? ['--port', '0'] : [];
      const part = start(entry, '--home', home.path, '--lifeline', ...more);
      await word(part, 'listening');
      // What death does to the pipes of a killed starter.
      for (const stream of [part.child.stdout, part.child.stderr, part.child.stdin]) stream?.destroy();
      assert.equal(await part.ended, 0);
    });
  }

  it('is asked for: without, a closed input means nothing', async () => {
    const edge = start(ENTRIES.edge, '--home', home.path, '--port', '0');
    const url = await word(edge, 'listening');
    edge.child.stdin?.destroy();
    await new Promise(resolve => setTimeout(resolve, 500));
    assert.equal((await fetch(`${url}/version`)).status, 200);
  });
});
