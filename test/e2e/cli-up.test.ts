/** `rackwright up` as people run it: ready when both answer, stopped cleanly, never one process without the other. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLI_MAIN, type CliHome, cliEnvironment, openCliHome } from '../support/cli.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Milliseconds for anything here; machines that test are busy. */
const LIMIT = 600_000;

interface Up {
  readonly child: ChildProcess;
  readonly home: string;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The address, once ready. */
  readonly ready: Promise<string>;
}

let user: CliHome;
const homes: string[] = [];

before(() => {
  user = openCliHome();
});
after(() => {
  user.remove();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

function newHome(files: Readonly<Record<string, string>> = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'rackwright-up-'));
  homes.push(home);
  if (Object.keys(files).length > 0) mkdirSync(join(home, 'etc'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, 'etc', name), text);
  return home;
}

function up(home: string, env: Readonly<Record<string, string>> = {}): Up {
  return start(home, process.execPath, [CLI_MAIN, 'up', '--home', home, '--port', '0'], { env });
}

function start(
  home: string,
  program: string,
  given: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Up {
  const child = spawn(program, given, {
    ...options,
    env: cliEnvironment(user.path, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const ready = Promise.withResolvers<string>();
  child.stdout?.on('data', chunk => {
    stdout += chunk;
    const found = /^ready (http:\/\/127\.0\.0\.1:\d+)$/m.exec(stdout)?.[1];
    if (found) ready.resolve(found);
  });
  child.stderr?.on('data', chunk => {
    stderr += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>(resolve =>
    child.once('close', code => {
      clearTimeout(timer);
      ready.reject(new Error(`ended with ${code} before it was ready\n${stderr}`));
      resolve({ code, stdout, stderr });
    }),
  );
  ready.promise.catch(() => {});
  return { child, home, ended, ready: ready.promise };
}

/** The processes that one has started, with their command lines. */
function childrenOf(pid: number): { pid: number; command: string }[] {
  const found: { pid: number; command: string }[] = [];
  for (const name of readdirSync('/proc').filter(entry => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) !== pid) continue;
      found.push({
        pid: Number(name),
        command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '),
      });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

function descendantsOf(pid: number): { pid: number; command: string }[] {
  return childrenOf(pid).flatMap(child => [child, ...descendantsOf(child.pid)]);
}

describe('rackwright up', () => {
  it('says ready once, answers on both ways in, and ends with 0 on SIGTERM, leaving nothing behind', async () => {
    const pair = up(newHome());
    const url = await pair.ready;
    const version = await fetch(`${url}/version`);
    assert.match(await version.text(), /^Rackwright v\d/);
    const list = await user.run(['--uri', join(pair.home, 'run/control.sock'), 'list']);
    assert.equal(list.code, 0, list.stderr);
    assert.equal(list.stdout, 'No running task\nNo pending task\n');
    const parts = childrenOf(pair.child.pid!);
    assert.equal(parts.length, 2, parts.map(part => part.command).join('\n'));
    pair.child.kill('SIGTERM');
    const { code, stdout } = await pair.ended;
    assert.equal(code, 0);
    assert.equal(stdout, `ready ${url}\n`);
    for (const { pid } of parts) assert.ok(!existsSync(`/proc/${pid}`), `${pid} is still there`);
    await assert.rejects(fetch(`${url}/version`));
  });

  it('ends with 0 on Ctrl-C, too', async () => {
    const pair = up(newHome());
    await pair.ready;
    pair.child.kill('SIGINT');
    assert.equal((await pair.ended).code, 0);
  });

  it('ends with all that it started when npm, which started it, gets SIGTERM', async () => {
    const home = newHome();
    const pair = start(home, 'npm', ['start', '--', '--home', home, '--port', '0'], { cwd: ROOT });
    const url = await pair.ready;
    const parts = descendantsOf(pair.child.pid!);
    try {
      for (const name of ['edge/cli/main.ts up', 'daemon/main.ts', 'edge/main.ts'])
        assert.ok(
          parts.some(part => part.command.includes(name)),
          name,
        );
      pair.child.kill('SIGTERM');
      await once(pair.child, 'exit');
      for (const { pid, command } of parts)
        assert.ok(!existsSync(`/proc/${pid}`), `${command} is still there`);
      await assert.rejects(fetch(`${url}/version`));
    } finally {
      for (const { pid } of parts) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
    }
  });

  for (const name of ['daemon', 'edge'] as const) {
    it(`stops the other and ends with 1 when the ${name} is killed`, async () => {
      const pair = up(newHome());
      await pair.ready;
      const parts = childrenOf(pair.child.pid!);
      const victim = parts.find(part => part.command.includes(`${name}/main.ts`))!;
      process.kill(victim.pid, 'SIGKILL');
      const { code, stderr } = await pair.ended;
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`the ${name} was killed by SIGKILL; stopping`));
      for (const { pid } of parts) assert.ok(!existsSync(`/proc/${pid}`), `${pid} is still there`);
    });
  }

  it('ends with 1 and the settings’ faults where a home has bad ones', async () => {
    const { code, stdout, stderr } = await up(newHome({ 'rackwright.ini': '[tasks]\nmax_workers = many\n' }))
      .ended;
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /rackwright\.ini:2: \[tasks\]>max_workers: "many" is not a whole number/);
    assert.match(stderr, /the daemon ended with \d+ before it was ready/);
  });

  it('refuses a home that is in use and leaves its holder alone', async () => {
    const first = up(newHome());
    const url = await first.ready;
    // However late its own daemon finds the home in use: the other one's answers are none of its own.
    const late = join(user.path, 'late.cjs');
    writeFileSync(
      late,
      `if (process.argv[1].endsWith('daemon/main.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);`,
    );
    const second = await up(first.home, { NODE_OPTIONS: `--require ${late}` }).ended;
    assert.equal(second.code, 1);
    assert.equal(second.stdout, '');
    assert.match(second.stderr, /another daemon is running/);
    assert.equal((await fetch(`${url}/version`)).status, 200);
    first.child.kill('SIGTERM');
    assert.equal((await first.ended).code, 0);
  });
});
