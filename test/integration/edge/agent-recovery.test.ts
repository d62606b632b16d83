/** An agent that goes on by itself: a changed key, a changed policy, an answer without its list, a stop in between. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { jwtVerify } from 'jose';
import { makeAuthenticate } from '../../../edge/agent/access.ts';
import { Live } from '../../../edge/agent/live.ts';
import { currentPolicy, loadAgentPolicy } from '../../../edge/agent/policy.ts';
import { addEventRoutes } from '../../../edge/agent/routes/events.ts';
import { speakAgent } from '../../../edge/agent/speak.ts';
import { parseTokenKey } from '../../../edge/auth/key.ts';
import { issueToken, verifyToken } from '../../../edge/auth/token.ts';
import { parseNetworks } from '../../../edge/http/networks.ts';
import { openHttp } from '../../../edge/http/server.ts';
import { type OpenAgent, openAgent } from '../../support/agent.ts';
import { until } from '../../support/until.ts';

const CLI = fileURLToPath(new URL('../../../edge/cli/main.ts', import.meta.url));

type Answer = (path: string, request: IncomingMessage, reply: ServerResponse) => unknown;

const JSON_TYPE = { 'content-type': 'application/json' };
const META = { Slurm: { version: { major: 22, micro: 8, minor: 5 }, release: '22.05.8' } };

/** An answer with a list, named as the path is; `ping` and others have none. */
function well(path: string, reply: ServerResponse): void {
  const name = path.split('/')[3] ?? '';
  const jobs = [{ job_id: 7, user_name: 'ann', job_state: 'RUNNING' }];
  const lists = { nodes: [{ name: 'n1', state: 'idle', cpus: 4 }], jobs };
  const list = name in lists ? { [name]: lists[name as 'jobs'] } : {};
  reply.writeHead(200, JSON_TYPE).end(JSON.stringify({ meta: META, errors: [], ...list }));
}

describe('an agent goes on by itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwrecover-'));
  const slurmKey = join(folder, 'slurm.key');
  let server: Server;
  let answer: Answer;
  let agent: OpenAgent | null = null;
  const asked: string[] = [];
  const open = async (more = ''): Promise<OpenAgent> => {
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    agent = await openAgent(
      folder,
      `[service]\ncluster=alpha\n[slurmrestd]\nuri=${uri}\nversions=0.0.38\njwt_key=${slurmKey}\n${more}`,
    );
    return agent;
  };

  beforeEach(async () => {
    writeFileSync(slurmKey, randomBytes(32), { mode: 0o600 });
    asked.length = 0;
    answer = (path, _request, reply) => well(path, reply);
    server = createServer((request, reply) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      asked.push(path);
      void answer(path, request, reply);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await agent?.close();
    agent = null;
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [how, refuse] of [
    ['401', (reply: ServerResponse) => reply.writeHead(401).end('Authentication failure')],
    [
      'as 22.05 words it',
      (reply: ServerResponse) =>
        reply
          .writeHead(500, JSON_TYPE)
          .end('{"errors":[{"error":"Unspecified error","errno":-1}],"nodes":[]}'),
    ],
  ] as const) {
    test(`a key that the site changes counts at once where the old is refused (${how})`, async () => {
      let accepted = randomBytes(32);
      writeFileSync(slurmKey, accepted);
      answer = async (path, request, reply) => {
        const token = String(request.headers['x-slurm-user-token']);
        const right = await jwtVerify(token, accepted).then(
          () => true,
          () => false,
        );
        if (right) well(path, reply);
        else refuse(reply);
      };
      const { get } = await open();
      assert.equal((await get('/v7.0.0/partitions')).status, 200);
      accepted = randomBytes(32);
      assert.equal((await get('/v7.0.0/nodes')).status, 502);
      writeFileSync(slurmKey, accepted);
      assert.equal((await get('/v7.0.0/nodes')).status, 200);
    });
  }

  test('an answer without its list is malformed, never an empty cluster', async () => {
    const { get } = await open('[metrics]\nenabled=yes\ninterval=1\nmax_age=1\n');
    await until(async () => (await get('/metrics', null)).status === 200);
    answer = (_path, _request, reply) =>
      reply.writeHead(200, JSON_TYPE).end(JSON.stringify({ meta: META, errors: [], nodes: null }));
    for (const list of ['nodes', 'jobs']) {
      const { status, body } = await get(`/v7.0.0/${list}`);
      assert.equal(status, 502);
      assert.match(body, new RegExp(`without a list of ${list}`));
    }
    await until(async () => (await get('/metrics', null)).status === 503);
  });

  test('a number that no job has is not cut down to one that a job has', async () => {
    const { get } = await open();
    for (const id of ['4294967303', '4294967294', '9999999999']) {
      assert.equal((await get(`/v7.0.0/job/${id}`)).status, 404, id);
    }
    assert.deepEqual(
      asked.filter(path => path.includes('/job/')),
      [],
    );
  });

  test('the connection check finds a slurmctld that is down behind a slurmrestd that is up', async () => {
    let pinged = 'DOWN';
    answer = (_path, _request, reply) => {
      const pings = [{ hostname: 'head', pinged, mode: 'primary' }];
      reply.writeHead(200, JSON_TYPE).end(JSON.stringify({ meta: META, errors: [], pings }));
    };
    await open();
    const words = ['connect-check', '--conf', join(folder, 'agent.ini')];
    const check = (): Promise<{ ok: boolean; out: string; err: string }> =>
      new Promise(resolve =>
        execFile(process.execPath, [CLI, ...words], (error, out, err) =>
          resolve({ ok: error === null, out, err }),
        ),
      );
    const down = await check();
    assert.deepEqual([down.ok, down.out], [false, '❌ connection failure\n']);
    assert.match(down.err, /slurmctld does not answer slurmrestd: head down/);
    pinged = 'UP';
    assert.match((await check()).out, /^✅ connection successful! \(cluster: alpha, slurm: 22\.05\.8/);
  });

  test('stops at once though slurmrestd hangs', async () => {
    answer = (path, _request, reply) => {
      if (path.endsWith('/ping')) well(path, reply);
    };
    const hung = await open('timeout=86400\n[metrics]\nenabled=yes\n');
    await until(async () => asked.some(path => path.endsWith('/nodes')));
    agent = null;
    // It does not wait for the answer, which never comes.
    let closed = false;
    void hung.close().then(() => {
      closed = true;
    });
    await until(() => closed);
    assert.deepEqual(
      hung.log.filter(line => line.startsWith('warn')),
      [],
    );
  });
});

test('a stream of events shows what its reader may see now, and ends with the last right', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwrights-'));
  const key = parseTokenKey(randomBytes(32), 'HS256');
  const load = (actions: string) => {
    const roles = join(folder, 'policy.ini');
    writeFileSync(roles, `[roles]\nuser=ALL\n[user]\nactions=${actions}\n`);
    return loadAgentPolicy({ roles, vendor_roles: null });
  };
  let policy = load('view-jobs,view-nodes');
  let looks = 0;
  const states = () => [looks % 2 === 0 ? 'RUNNING' : 'SUSPENDED'];
  const row = (id: string, user: string) => ({ json: '', id, user, nodes: '', states: states() });
  const cluster = {
    nodes: async () => {
      looks++;
      return [row('n1', '')];
    },
    jobs: async () => [row('1', 'ann'), row('2', 'bob')],
  };
  const stopping = new AbortController();
  const app = openHttp({
    log: { warn: () => undefined, error: () => undefined },
    trustedProxies: parseNetworks([]),
    connectionsPerPeer: 0,
    speakers: [],
    speak: speakAgent,
  });
  const options = { algorithm: 'HS256', audience: 'slurm-web', keys: [key], now: Date.now } as const;
  addEventRoutes(app, {
    live: new Live(cluster, 20),
    authenticate: makeAuthenticate(
      verifyToken(options),
      currentPolicy(() => policy),
    ),
    now: Date.now,
    stopping: stopping.signal,
  });
  try {
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const { token } = await issueToken(options, 1)('ann', []);
    const response = await fetch(`${url}/v7.0.0/events`, { headers: { authorization: `Bearer ${token}` } });
    let text = '';
    let ended = false;
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array);
      ended = true;
    })();
    await until(async () => text.includes('{"id":"2"') && text.includes('event: nodes'));
    policy = load('jobs-view-own');
    const seen = looks;
    await until(async () => looks > seen + 2);
    text = '';
    const from = looks;
    await until(async () => looks > from + 5 && text.includes('{"id":"1"'));
    assert.doesNotMatch(text, /"id":"2"|event: nodes/);
    policy = load('view-stats');
    await until(async () => ended);
    await reading;
  } finally {
    stopping.abort();
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
