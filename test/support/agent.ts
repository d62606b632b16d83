/** Opens a cluster agent alone on a free port, over settings written for the test. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { agentArea } from '../../edge/agent/agent.ts';
import { loadAgentPolicy } from '../../edge/agent/policy.ts';
import { readAgentSettings } from '../../edge/agent/settings.ts';
import { readTokenKey } from '../../edge/auth/key.ts';
import { issueToken } from '../../edge/auth/token.ts';
import { openHttp } from '../../edge/http/server.ts';
import { places } from '../../systemd/settings.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface OpenAgent {
  readonly app: FastifyInstance;
  /** `127.0.0.1:PORT` */
  readonly address: string;
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
  writeFileSync(file, `${ini}\n[jwt]\nkey=${key}\n`);
  const { settings, warnings } = readAgentSettings(file, places(folder));
  const stopping = new AbortController();
  const keys = [readTokenKey(key, 'HS256')];
  const area = agentArea({
    settings,
    warnings,
    policy: loadAgentPolicy(settings.policy),
    keys,
    racksdb: null,
    now: Date.now,
    random: Math.random,
    log: silent,
    stopping: stopping.signal,
  });
  const speak = area.speakers[0]?.speak;
  if (!speak) throw new TypeError('an agent speaks');
  const app = openHttp({
    log: silent,
    trustedProxies: [],
    connectionsPerPeer: 0,
    speakers: area.speakers,
    speak,
  });
  await app.register(area.routes(true));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const issue = issueToken({ algorithm: 'HS256', audience: 'slurm-web', keys, now: Date.now }, 1);
  const token = async (login: string, groups: readonly string[] = []) => (await issue(login, groups)).token;
  const root = await token('root');
  return {
    app,
    address: url.replace('http://', ''),
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
