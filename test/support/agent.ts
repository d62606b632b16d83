/** Opens a cluster agent alone on a free port, over settings written for the test. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { agentArea } from '../../edge/agent/agent.ts';
import { loadAgentPolicy } from '../../edge/agent/policy.ts';
import { loadAgent } from '../../edge/agent/settings.ts';
import { issueToken } from '../../edge/auth/token.ts';
import { parseNetworks } from '../../edge/http/networks.ts';
import { openHttp } from '../../edge/http/server.ts';
import { places } from '../../systemd/settings.ts';

export interface OpenAgent {
  readonly app: FastifyInstance;
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** What it has logged: `info TEXT`, `warn TEXT`, `error TEXT`. */
  readonly log: readonly string[];
  /** A token for a login with groups. */
  token(login: string, groups?: readonly string[]): Promise<string>;
  /** GET with a token (or none); the whole answer. */
  get(path: string, token?: string | null): Promise<{ status: number; body: string; json<T>(): T }>;
  close(): Promise<void>;
}

/** `folder` takes agent.ini, key and policy; `ini` are sections beside `[jwt]`. A key of its own unless it shares one. */
export async function openAgent(folder: string, ini: string, shared?: string): Promise<OpenAgent> {
  const key = shared ?? join(folder, 'agent.key');
  if (shared === undefined) writeFileSync(key, randomBytes(32), { mode: 0o600 });
  const file = join(folder, 'agent.ini');
  writeFileSync(file, `${ini}\n[jwt]\nkey=${key}\n`, { mode: 0o600 });
  const loaded = loadAgent(file, places(folder), null);
  const stopping = new AbortController();
  const lines: string[] = [];
  const write = (level: string) => (_fields: object, sentence: string) =>
    void lines.push(`${level} ${sentence}`);
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  const area = agentArea({
    agent: loaded,
    policy: loadAgentPolicy(loaded.settings.policy),
    racksdb: null,
    now: Date.now,
    random: Math.random,
    log,
    stopping: stopping.signal,
  });
  const speak = area.speakers[0]?.speak;
  if (!speak) throw new TypeError('an agent speaks');
  const app = openHttp({
    log,
    trustedProxies: parseNetworks([]),
    connectionsPerPeer: 0,
    speakers: area.speakers,
    rewrite: area.rewrite,
    speak,
  });
  await app.register(area.routes(true));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const issue = issueToken(
    { algorithm: 'HS256', audience: 'slurm-web', keys: [loaded.key], now: Date.now },
    1,
  );
  const token = async (login: string, groups: readonly string[] = []) => (await issue(login, groups)).token;
  const root = await token('root');
  return {
    app,
    address: url.replace('http://', ''),
    log: lines,
    token,
    get: async (path, as = root) => {
      const headers = as === null ? {} : { authorization: `Bearer ${as}` };
      const answer = await app.inject({ url: path, headers });
      return { status: answer.statusCode, body: answer.body, json: <T>() => JSON.parse(answer.body) as T };
    },
    close: async () => {
      stopping.abort();
      await app.close();
    },
  };
}

/** Samples of a scrape: `name{state="idle"}` to value. */
export function samplesOf(body: string): ReadonlyMap<string, number> {
  const lines = body.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}
