/** The server under all areas: proxies that count, connections that are capped, an orderly stop, a passed socket. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encodeLog } from '../../../proto/frame.ts';
import { sendRaw, startTestEdge, statusOf } from '../../support/edge-home.ts';
import { scriptedTask } from '../../support/scripted-daemon.ts';
import { until } from '../../support/until.ts';

const MAIN = fileURLToPath(new URL('../../../edge/main.ts', import.meta.url));
const PLACE = '/default/registry/deb/bookworm/main/';
const FORWARDED = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'build.example.org',
  'x-forwarded-for': '1.2.3.4',
};
const ARTIFACT = {
  format: 'deb',
  distribution: 'bookworm',
  derivative: 'main',
  architecture: 'src',
  name: 'a',
  version: '1',
  size: 0,
};

it('believes forwarded headers from configured proxies only', async () => {
  const stranger = await startTestEdge();
  const behind = await startTestEdge('[edge]\ntrusted_proxies = 127.0.0.0/8\n');
  try {
    for (const [edge, expected] of [
      [stranger, `http://127.0.0.1:${stranger.port}/default/deb`],
      [behind, 'https://build.example.org/default/deb'],
    ] as const) {
      edge.world.artifacts.push(ARTIFACT);
      const page = await (await fetch(edge.url + PLACE, { headers: FORWARDED })).text();
      assert.ok(page.includes(`URIs: ${expected}\n`), page);
    }
  } finally {
    await Promise.all([stranger.stop(), behind.stop()]);
  }
});

it('counts no connection of a trusted proxy, and does not wait for those that never ask when it stops', async () => {
  const edge = await startTestEdge('[edge]\nconnections_per_peer = 2\ntrusted_proxies = 127.0.0.0/8\n');
  const open = await Promise.all(
    Array.from({ length: 4 }, () => {
      const socket = connect(edge.port, '127.0.0.1');
      return new Promise<Socket>(resolve => socket.once('connect', () => resolve(socket)));
    }),
  );
  const closed = Promise.all(open.map(socket => new Promise(resolve => socket.once('close', resolve))));
  assert.equal((await fetch(`${edge.url}/version`)).status, 200);
  await edge.stop();
  await closed;
});

it('caps the connections of one peer, and takes new ones once old ones are closed', async () => {
  const edge = await startTestEdge('[edge]\nconnections_per_peer = 5\n');
  try {
    const open = (): Promise<Socket | null> =>
      new Promise(resolve => {
        const socket = connect(edge.port, '127.0.0.1');
        socket.on('error', () => resolve(null));
        socket.on('close', () => resolve(null));
        socket.on('data', () => resolve(socket));
        socket.write('GET /version HTTP/1.1\r\nhost: x\r\n\r\n');
      });
    const first = await Promise.all(Array.from({ length: 5 }, open));
    assert.ok(first.every(socket => socket !== null));
    assert.equal(await open(), null);
    for (const socket of first) socket?.destroy();
    // The server hears of it a moment later.
    let again: Socket | null = null;
    await until(async () => {
      again = await open();
      return again !== null;
    });
    (again as Socket | null)?.destroy();
  } finally {
    await edge.stop();
  }
});

it('refuses new requests with 503 while it stops, and lets the ones under way end', async () => {
  const edge = await startTestEdge();
  const task = scriptedTask({ state: 'TASK_STATE_RUNNING' });
  edge.world.tasks.push(task);
  edge.world.journals.set(task.id ?? '', [encodeLog('info', 'Building')]);
  // A request whose head is half sent keeps its connection busy over the stop.
  const socket = connect(edge.port, '127.0.0.1');
  const late = new Promise<string>(resolve => {
    let answer = '';
    socket.on('data', chunk => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', () => resolve(answer));
  });
  socket.write('GET /version HTTP/1.1\r\nho');
  const watched = await fetch(`${edge.url}/default/watch/${task.id}.journal`);
  const stopped = edge.stop();
  socket.write('st: x\r\n\r\n');
  const answer = await late;
  assert.ok(answer === '' || statusOf(answer) === 503, answer);
  assert.ok((await watched.arrayBuffer()).byteLength > 0);
  await stopped;
});

it('serves on a socket that systemd passes, and stops cleanly on SIGTERM', async () => {
  const home = mkdtempSync(join(tmpdir(), 'edge-fd-'));
  mkdirSync(join(home, 'etc'));
  const listener = createServer();
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  // sh sets LISTEN_PID to the process that it becomes.
  const child = spawn('sh', ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', process.execPath, MAIN, '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit', (listener as unknown as { _handle: { fd: number } })._handle.fd],
    env: { ...process.env, LISTEN_FDS: '1', LISTEN_FDNAMES: 'http' },
  });
  try {
    const line = await new Promise<string>(resolve => {
      child.stdout?.once('data', data => resolve(String(data)));
      child.once('close', code => resolve(`it ended with ${code}`));
    });
    assert.equal(line, `listening http://127.0.0.1:${port}\n`);
    listener.close();
    assert.match(
      await sendRaw(port, 'GET /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
      /Rackwright v/,
    );
    const code = new Promise(resolve => child.on('exit', resolve));
    child.kill('SIGTERM');
    assert.equal(await code, 0);
  } finally {
    child.kill('SIGKILL');
    listener.close();
    rmSync(home, { recursive: true, force: true });
  }
});

it('tells every fault of its settings at once and does not start', async () => {
  const home = mkdtempSync(join(tmpdir(), 'edge-bad-'));
  mkdirSync(join(home, 'etc'));
  writeFileSync(
    join(home, 'etc/rackwright.ini'),
    '[edge]\nprot = 3\nheartbeat = often\n[drawing]\nnot_found_status = 7\n',
  );
  try {
    const child = spawn(process.execPath, [MAIN, '--home', home], { stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    child.stderr.on('data', chunk => {
      told += chunk;
    });
    assert.equal(await new Promise(resolve => child.on('close', resolve)), 1);
    assert.equal(
      told,
      [
        'rackwright.ini:2: [edge]>prot: unknown key; did you mean "port"?',
        'rackwright.ini:3: [edge]>heartbeat: "often" is not a duration such as 30 min',
        'rackwright.ini:5: [drawing]>not_found_status: "7" is none of 404, 400',
        '',
      ]
        .map(line => (line === '' ? '' : join(home, 'etc', line)))
        .join('\n'),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
