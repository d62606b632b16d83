/** A gateway for tests: its own folders, keys and settings, on a free loopback port. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gatewayArea } from '../../edge/gateway/gateway.ts';
import { loadGateway } from '../../edge/gateway/settings.ts';
import { parseNetworks } from '../../edge/http/networks.ts';
import { speakPage } from '../../edge/http/problem.ts';
import { openHttp } from '../../edge/http/server.ts';
import { type Places, places } from '../../systemd/settings.ts';

export type Ini = Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;

/** INI text; keys without value are left out. */
export function toIni(ini: Ini): string {
  return Object.entries(ini)
    .map(([section, keys]) => {
      const lines = Object.entries(keys).flatMap(([key, value]) =>
        value === undefined ? [] : `${key} = ${value.replaceAll('\n', '\n  ')}`,
      );
      return `[${section}]\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** Later ones win, key by key. */
export function mergeIni(...all: readonly Ini[]): Ini {
  const merged: Record<string, Record<string, string | undefined>> = {};
  for (const ini of all) {
    for (const [section, keys] of Object.entries(ini)) merged[section] = { ...merged[section], ...keys };
  }
  return merged;
}

export interface Home {
  readonly places: Places;
  readonly conf: string;
  close(): void;
}

/** A home with keys and a gateway.ini. */
export function makeHome(ini: Ini): Home {
  const root = mkdtempSync(join(tmpdir(), 'rackwright-gateway-'));
  const at = places(root);
  mkdirSync(at.etc, { recursive: true });
  mkdirSync(at.lib, { recursive: true });
  writeFileSync(join(at.lib, 'jwt.key'), randomBytes(32).toString('hex'), { mode: 0o400 });
  writeFileSync(join(at.lib, 'session.key'), randomBytes(64).toString('base64url'), { mode: 0o600 });
  const conf = join(at.etc, 'gateway.ini');
  writeFileSync(conf, toIni(ini));
  return { places: at, conf, close: () => rmSync(root, { recursive: true, force: true }) };
}

export interface LogLine {
  readonly level: string;
  readonly sentence: string;
  readonly [field: string]: unknown;
}

export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  readonly log: LogLine[];
  close(): Promise<void>;
}

export interface GatewayChanges {
  readonly port?: number;
  readonly now?: () => number;
  readonly pages?: string;
}

/** Starts a gateway over a home, alone on its address. */
export async function startGateway(home: Home, changes: GatewayChanges = {}): Promise<RunningGateway> {
  const log: LogLine[] = [];
  const write = (level: string) => (fields: object, sentence: string) => {
    log.push({ level, sentence, ...fields });
  };
  const sink = { info: write('info'), warn: write('warn'), error: write('error') };
  const area = gatewayArea({
    gateway: loadGateway(home.conf, home.places, null),
    pages: changes.pages ?? join(home.places.lib, 'no-pages'),
    proxies: {},
    now: changes.now ?? Date.now,
    log: sink,
  });
  const app = openHttp({
    log: sink,
    trustedProxies: parseNetworks([]),
    connectionsPerPeer: 0,
    speakers: area.speakers,
    speak: speakPage,
    rewrite: area.rewrite,
  });
  await app.register(area.routes(true));
  await app.listen({ host: '127.0.0.1', port: changes.port ?? 0 });
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, port, log, close: () => app.close() };
}

/** The same as a process of its own: for benches, which share a processor with it otherwise, and for kills. */
export async function spawnGateway(home: Home, pages = ''): Promise<SpawnedGateway> {
  const script = fileURLToPath(new URL('gateway-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, dirname(home.places.etc), pages], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', data => resolve(String(data)));
    child.once('close', () => reject(new Error('the gateway ended at once')));
  });
  const url = line.trim();
  return {
    url,
    port: Number(new URL(url).port),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface SpawnedGateway {
  readonly url: string;
  readonly port: number;
  kill(): Promise<void>;
}

/** A browser's cookies and redirects, without a browser. */
export class Jar {
  readonly cookies = new Map<string, string>();
  /** Every Set-Cookie header that was received. */
  readonly received: string[] = [];

  async get(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const origin = new URL(url).host;
    const own = [...this.cookies].filter(([key]) => key.startsWith(`${origin} `));
    if (own.length > 0) {
      headers.set('cookie', own.map(([key, value]) => `${key.slice(origin.length + 1)}=${value}`).join('; '));
    }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      this.received.push(line);
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const key = `${origin} ${pair.slice(0, at)}`;
      if (/max-age=0/i.test(line) || at === pair.length - 1) this.cookies.delete(key);
      else this.cookies.set(key, pair.slice(at + 1));
    }
    return answer;
  }

  /** Follows redirects until one leads to a place that `stop` accepts; answers that place. */
  async follow(url: string, stop: (location: URL) => boolean): Promise<URL> {
    let next = new URL(url);
    for (let hop = 0; hop < 12; hop += 1) {
      const answer = await this.get(next.href);
      const location = answer.headers.get('location');
      const text = await answer.text();
      if (location === null) throw new Error(`${next.href} answered ${answer.status}: ${text.slice(0, 300)}`);
      next = new URL(location, next);
      if (stop(next)) return next;
    }
    throw new Error('too many redirects');
  }
}
