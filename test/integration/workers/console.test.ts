/** Terminal, journal and console socket with real processes and real clients. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Fault } from '../../../proto/fault.ts';
import {
  COMMAND,
  decodeLog,
  encodeEnd,
  encodeFrame,
  encodeLog,
  encodeWinch,
  type Frame,
  FrameReader,
  HEADER_SIZE,
} from '../../../proto/frame.ts';
import { TaskConsole } from '../../../workers/console/console.ts';
import { Terminal } from '../../../workers/console/terminal.ts';
import { Transcript } from '../../../workers/console/transcript.ts';
import { newPlace, outputOf, readFrames } from '../../support/attempt.ts';
import { scaled } from '../../support/scale.ts';
import { until } from '../../support/until.ts';

const ENV = { PATH: process.env.PATH ?? '/usr/bin:/bin' };

/** Runs a shell script on a terminal; what came out, and how it ended. */
async function onTerminal(
  script: string,
  run: (terminal: Terminal) => void = () => undefined,
): Promise<[string, number | null]> {
  const chunks: Buffer[] = [];
  const terminal = new Terminal({
    command: ['sh', '-c', script],
    env: ENV,
    input: 'terminal',
    onOutput: bytes => chunks.push(Buffer.from(bytes)),
  });
  run(terminal);
  const { code } = await terminal.exited;
  return [Buffer.concat(chunks).toString('utf8'), code];
}

async function withConsole(
  options: { limit?: number; interactive?: boolean },
  work: (
    console: TaskConsole,
    paths: { place: string; journal: string; socket: string },
    faults: Fault[],
  ) => Promise<void>,
): Promise<void> {
  const place = newPlace();
  const paths = { place, journal: join(place, 'task.journal'), socket: join(place, 'console.sock') };
  const faults: Fault[] = [];
  const console = await TaskConsole.open({
    journal: paths.journal,
    socket: paths.socket,
    limit: options.limit ?? 0,
    debug: false,
    interactive: options.interactive ?? false,
    onFull: fault => faults.push(fault),
  });
  try {
    await work(console, paths, faults);
  } finally {
    console.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** All that a client gets until the end of its connection. */
async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('no byte of noisy programs that end at once is lost, whatever their size', async () => {
  const runs = scaled(600, 0.25);
  for (let run = 0; run < runs; run++) {
    const lines = [1, 100, 1000, 5000][run % 4] ?? 1;
    const [output, code] = await onTerminal(`seq ${lines}; printf 'last words'; exit 3`);
    assert.equal(code, 3);
    const expected = Array.from({ length: lines }, (_, at) => `${at + 1}\r\n`).join('');
    assert.equal(output, `${expected}last words`, `run ${run}`);
  }
});

test('a program that stops or changes its terminal neither hangs the task nor loses what it wrote before', async () => {
  const [output] = await onTerminal('echo before; stty olcuc -opost 2>/dev/null; echo after');
  assert.match(output, /before\r\n/);
  assert.match(output, /AFTER|after/);
  assert.doesNotMatch(output, /\d{40}/);
});

test('a program that cannot be started ends with code 127', async () => {
  const terminal = new Terminal({
    command: ['/does/not/exist'],
    env: ENV,
    input: 'none',
    onOutput: () => undefined,
  });
  assert.deepEqual(await terminal.exited, { code: 127, signal: null });
});

test('keys and sizes reach an interactive program', async () => {
  const [output] = await onTerminal('read line; stty size; echo "got $line"', terminal => {
    terminal.resize(40, 132);
    terminal.write(Buffer.from('hello\r'));
  });
  assert.match(output, /40 132\r\ngot hello/);
});

test('descriptors of the daemon are not inherited by what runs on a terminal', async () => {
  const [output] = await onTerminal('ls -l /proc/self/fd | grep -c ptmx');
  // node-pty's own descriptor is inheritable; programs of a task are started through a shell that closes it.
  assert.match(output, /^[01]\r\n$/);
});

test('many clients, early and late, get the same bytes as the journal, to the end frame', async () => {
  await withConsole({}, async (console, { journal, socket }) => {
    const clients: Promise<Buffer>[] = [];
    for (let at = 0; at < 500; at++) {
      if (at % 25 === 0) clients.push(readAll(createConnection(socket)));
      if (at === 250) await sleep(50);
      console.output(Buffer.alloc(5000 + at, 97 + (at % 26)));
      console.log('info', `line ${at}`);
    }
    await sleep(100);
    clients.push(readAll(createConnection(socket)));
    console.end(true);
    await sleep(100);
    console.close();
    const file = readFileSync(journal);
    for (const bytes of await Promise.all(clients))
      assert.ok(bytes.equals(file), `${bytes.length} of ${file.length}`);
    assert.equal(existsSync(socket), false);
  });
});

test('the socket is for owner and group', async () => {
  await withConsole({}, async (_console, { socket }) => {
    assert.equal(statSync(socket).mode & 0o777, 0o770);
  });
});

test('a client under SIGSTOP holds nothing up, and is moved on to live output with a marker', async () => {
  await withConsole({}, async (console, { journal, socket, place }) => {
    const out = join(place, 'client.out');
    const script = `const s = require('net').createConnection(${JSON.stringify(socket)});
      s.pipe(require('fs').createWriteStream(${JSON.stringify(out)})); s.on('connect', () => console.log('connected'));`;
    const client: ChildProcess = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await new Promise(resolve => client.stdout?.once('data', resolve));
      client.kill('SIGSTOP');
      const chunk = Buffer.alloc(60_000, 'x');
      for (let at = 0; at < 400; at++) console.output(chunk);
      assert.ok(statSync(journal).size >= 24_000_000);
      // Until it takes no more, which is when its time begins: each turn of the loop sends what it takes.
      for (let at = 0; at < 400; at++) await turn();
      await sleep(5500);
      client.kill('SIGCONT');
      await sleep(300);
      console.output(Buffer.from('live again'));
      console.end(true);
      console.close();
      await new Promise(resolve => client.once('exit', resolve));
      const frames = readFrames(out);
      assert.equal(decodeLog(frames.at(-1)!.payload)?.text, 'Task succeeded');
      const marker = frames.findIndex(frame =>
        /^\d+ bytes skipped/.test(decodeLog(frame.payload)?.text ?? ''),
      );
      assert.ok(marker > 0, 'no marker');
      assert.ok(outputOf(frames.slice(marker)).endsWith('live again'));
      assert.ok(statSync(out).size < statSync(journal).size / 2);
    } finally {
      client.kill('SIGKILL');
    }
  });
});

test('a client that comes and goes, or never reads, costs the task nothing', async () => {
  await withConsole({}, async (console, { socket }) => {
    const idle = createConnection(socket).pause();
    for (let at = 0; at < 200; at++) {
      const client = createConnection(socket);
      client.on('error', () => undefined);
      setTimeout(() => client.destroy(), at % 7);
      console.output(Buffer.alloc(10_000, 'y'));
      if (at % 20 === 0) await sleep(5);
    }
    console.log('info', 'still here');
    idle.destroy();
  });
});

test('input of clients is dropped unless the task is interactive', async () => {
  await withConsole({ interactive: false }, async (console, { socket }) => {
    const seen: string[] = [];
    const back = console.raw(event => seen.push(event.type));
    const client = createConnection(socket);
    client.write(encodeFrame(COMMAND.bytes, Buffer.from('rm -rf /\n')));
    await sleep(100);
    assert.deepEqual(seen, []);
    back();
    client.destroy();
  });
});

test('keys and window sizes of any client reach an interactive program, split at any byte', async () => {
  await withConsole({ interactive: true }, async (console, { socket }) => {
    const seen: string[] = [];
    const back = console.raw(event =>
      seen.push(event.type === 'keys' ? event.bytes.toString() : `${event.rows}x${event.columns}`),
    );
    const client = createConnection(socket);
    const bytes = Buffer.concat([
      encodeWinch(50, 100),
      encodeFrame(COMMAND.bytes, Buffer.from('ls\r')),
      encodeFrame(99),
    ]);
    for (const byte of bytes) {
      client.write(Buffer.from([byte]));
      await sleep(1);
    }
    await until(() => seen.length > 1);
    assert.deepEqual(seen, ['50x100', 'ls\r']);
    back();
    client.destroy();
  });
});

test('a frame that declares four gigabytes closes the connection and nothing else', async () => {
  await withConsole({ interactive: true }, async (console, { socket }) => {
    for (const size of [0xffffffff, 0x80000000, 65_537]) {
      const client = createConnection(socket);
      const header = Buffer.alloc(HEADER_SIZE);
      header.writeUInt16LE(COMMAND.bytes, 0);
      header.writeUInt32LE(size, 4);
      client.write(header);
      client.resume();
      await new Promise(resolve => client.once('close', resolve));
    }
    console.log('info', 'unharmed');
  });
});

test('output stops at the limit of the journal, the words that end the task are still written', async () => {
  await withConsole({ limit: 1_000_000 }, async (console, { journal }, faults) => {
    for (let at = 0; at < 100; at++) console.output(Buffer.alloc(50_000, 'z'));
    assert.deepEqual(
      faults.map(fault => fault.reason),
      ['log-limit'],
    );
    console.log('error', 'too much output');
    console.end(false, 'log-limit');
    assert.ok(statSync(journal).size <= 1_000_000 + 65_536);
    const frames = readFrames(journal);
    assert.equal(decodeLog(frames.at(-1)!.payload)?.text, 'Task failed: log-limit');
  });
});

test('a torn frame and an end frame are cut off when a journal is continued', () => {
  const place = newPlace();
  try {
    const file = join(place, 'task.journal');
    const whole = Buffer.concat([encodeLog('info', 'one'), encodeFrame(COMMAND.bytes, Buffer.from('two'))]);
    for (const tail of [
      Buffer.alloc(0),
      encodeLog('info', 'torn').subarray(0, 5),
      encodeLog('info', 'torn').subarray(0, 11),
      encodeEnd(false, 'interrupted'),
      Buffer.concat([encodeEnd(true), Buffer.from('junk')]),
    ]) {
      writeFileSync(file, whole);
      appendFileSync(file, tail);
      const transcript = new Transcript(file, 0);
      transcript.append(encodeLog('warning', 'again'), true);
      transcript.close();
      assert.deepEqual(readFileSync(file), Buffer.concat([whole, encodeLog('warning', 'again')]));
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

/** The journal that code leaves on a disk of half a megabyte: it has a `transcript` there, and the disk's folder. */
async function onSmallDisk(code: string): Promise<Frame[]> {
  const place = newPlace();
  const script = join(place, 'full.ts');
  const base = new URL('../../../', import.meta.url).href;
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs';
import { Transcript } from '${base}workers/console/transcript.ts';
import { encodeBytes, encodeEnd, encodeLog } from '${base}proto/frame.ts';
const folder = process.argv[2];
const transcript = new Transcript(folder + '/task.journal', 0);
${code}
transcript.close();`,
  );
  try {
    const mount = `mount -t tmpfs -o size=512k none "$1" && "$2" "$3" "$1" && cp "$1/task.journal" "$4"`;
    const copy = join(place, 'copy');
    const disk = join(place, 'disk');
    const child = spawn(
      'unshare',
      ['--mount', 'sh', '-c', `mkdir -p "$1"; ${mount}`, 'sh', disk, process.execPath, script, copy],
      { stdio: 'inherit' },
    );
    assert.equal(await new Promise(resolve => child.once('exit', resolve)), 0);
    const reader = new FrameReader();
    const frames = [...reader.push(readFileSync(copy))];
    assert.equal(reader.pending, 0);
    return frames;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

test('on a full disk the journal ends with whole frames and the notice', { skip: fullDisk() }, async () => {
  const frames = await onSmallDisk(`
for (let at = 0; at < 100; at++) for (const frame of encodeBytes(Buffer.alloc(50_000 + at, 'z'))) transcript.append(frame, false);
transcript.append(encodeLog('error', String(transcript.fault?.message)), true);
transcript.append(encodeEnd(false, 'journal-full'), true);`);
  assert.equal(decodeLog(frames.at(-2)!.payload)?.text, 'no space is left for the journal');
  assert.equal(decodeLog(frames.at(-1)!.payload)?.text, 'Task failed: journal-full');
});

test('a disk that the work itself has filled takes what its tools say of it', {
  skip: fullDisk(),
}, async () => {
  const frames = await onSmallDisk(`
try { for (;;) appendFileSync(folder + '/big', Buffer.alloc(4096)); } catch {}
for (let at = 0; at < 10; at++) for (const frame of encodeBytes(Buffer.alloc(1000, 'z'))) transcript.append(frame, false);
transcript.append(encodeLog('error', String(transcript.fault)), true);`);
  assert.equal(frames.length, 11);
  assert.equal(decodeLog(frames.at(-1)!.payload)?.text, 'null');
});

function fullDisk(): string | false {
  return process.getuid?.() === 0 ? false : 'needs root, to mount a small disk';
}
