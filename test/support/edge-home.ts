/** An edge of the tests: its own home, a scripted daemon beside it, and requests as bytes where fetch is too polite. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEdgeConfig } from '../../edge/config.ts';
import { openEdge } from '../../edge/edge.ts';
import { places } from '../../systemd/settings.ts';
import { type ScriptedDaemon, startScriptedDaemon, type World } from './scripted-daemon.ts';

export interface TestEdge {
  readonly url: string;
  readonly port: number;
  readonly home: string;
  readonly world: World;
  /** Replaced by tests that restart it. */
  daemon: ScriptedDaemon;
  /** What the edge logged as its own bugs; a test that expects none checks that it is empty. */
  readonly bugs: string[];
  stop(): Promise<void>;
}

/** Starts edge and scripted daemon. `ini` is the text of rackwright.ini. */
export async function startTestEdge(ini = ''): Promise<TestEdge> {
  const home = mkdtempSync(join(tmpdir(), 'edge-'));
  mkdirSync(join(home, 'etc'), { recursive: true });
  writeFileSync(join(home, 'etc/rackwright.ini'), ini);
  const daemon = await startScriptedDaemon(home);
  const bugs: string[] = [];
  const log = {
    error: (fields: object, message: string) =>
      bugs.push(`${message} ${JSON.stringify(fields)} ${causeOf(fields)}`),
    warn: () => undefined,
    info: () => undefined,
  };
  const { settings } = loadEdgeConfig(places(home));
  const edge = await openEdge({
    settings: { ...settings, edge: { ...settings.edge, port: 0 } },
    log,
    now: Date.now,
    random: Math.random,
    roles: [],
    passedSocket: null,
  });
  const url = edge.addresses[0] ?? '';
  const started: TestEdge = {
    url,
    port: Number(new URL(url).port),
    home,
    world: daemon.world,
    daemon,
    bugs,
    stop: async () => {
      await edge.close();
      await started.daemon.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return started;
}

function causeOf(fields: object): string {
  const { err } = fields as { err?: unknown };
  return err instanceof Error ? (err.stack ?? '') : '';
}

/**
 * Sends bytes as they are and collects the answer until the server closes, or `until` is found in it. Leaves after so
 * many milliseconds where `patience` is given.
 */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  until?: RegExp,
  patience?: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const timer = patience === undefined ? undefined : setTimeout(() => socket.destroy(), patience);
    let answer = '';
    socket.on('data', chunk => {
      answer += chunk.toString('latin1');
      if (until?.test(answer)) socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.on('error', error => (answer === '' ? reject(error) : resolve(answer)));
    socket.write(bytes);
  });
}

/** Status of a raw answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

export interface RawPart {
  readonly name: string;
  readonly filename?: string;
  readonly body: string | Buffer;
}

export const BOUNDARY = '0123456789abcdef0123456789abcdef';

/** A multipart body as the existing client's library writes it. */
export function multipart(parts: readonly RawPart[], boundary = BOUNDARY): Buffer {
  const pieces: (string | Buffer)[] = [];
  for (const { name, filename, body } of parts) {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    pieces.push(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`,
      body,
      '\r\n',
    );
  }
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map(piece => Buffer.from(piece)));
}

/** The nine parts that a submission needs. */
export function buildParts(changes: Readonly<Record<string, string | Buffer | null>> = {}): RawPart[] {
  const fields: Record<string, string | Buffer | null> = {
    format: 'deb',
    distribution: 'bookworm',
    architectures: 'x86_64',
    derivative: 'main',
    artifact: 'hello',
    user_name: 'Jane Roe',
    user_email: 'jane@example.org',
    message: 'First build',
    tarball: 'definition',
    ...changes,
  };
  return Object.entries(fields)
    .filter((entry): entry is [string, string | Buffer] => entry[1] !== null)
    .map(([name, body]) => ({ name, body, ...(name === 'tarball' ? { filename: 'hello.tar.xz' } : {}) }));
}

/** Posts a submission as jane. */
export function postBuild(
  edge: TestEdge,
  parts: readonly RawPart[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${edge.url}/default/build`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer good.builder.token',
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
    body: new Uint8Array(multipart(parts)),
  });
}
