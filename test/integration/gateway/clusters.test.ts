/** The gateway in front of agents: the list of clusters, and the streaming proxy. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Ini, makeHome, mergeIni, type RunningGateway, startGateway } from '../../support/gateway.ts';
import { freePort, until } from '../../support/until.ts';

type Handler = (request: http.IncomingMessage, reply: http.ServerResponse) => void;

/** An agent of the tests: answers as told, remembers what it was asked. */
class ScriptedAgent {
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: http.IncomingHttpHeaders;
    readonly body: string;
  }[] = [];
  url = '';
  info: unknown;
  permissions: unknown = { roles: ['user'], actions: ['view-jobs', 'associations-view'] };
  handler: Handler | null = null;
  /** What an answer to `/info` waits for. */
  ready: Promise<void> = Promise.resolve();
  private server: http.Server | null = null;

  constructor(cluster: string, changes: object = {}) {
    this.info = {
      cluster,
      version: '7.0.0',
      metrics: true,
      cache: true,
      racksdb: { enabled: true, version: '0.5.0', infrastructure: cluster },
      slurmdbd: { jobs_max_hours: 168 },
      ...changes,
    };
  }

  async open(port = 0): Promise<this> {
    this.server = http.createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        this.requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
        if (url.endsWith('/info')) return void this.ready.then(() => json(reply, 200, this.info));
        if (url.endsWith('/permissions')) return json(reply, 200, this.permissions);
        if (this.handler) return this.handler(request, reply);
        return json(reply, 200, { asked: url });
      });
    });
    await new Promise<void>(resolve => this.server?.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise(resolve => this.server?.close(resolve));
  }
}

function json(reply: http.ServerResponse, status: number, body: unknown): void {
  reply
    .writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'a=b', 'x-secret': '1' })
    .end(JSON.stringify(body));
}

interface Scene {
  readonly gateway: RunningGateway;
  get(path: string, init?: RequestInit): Promise<Response>;
  clusters(): Promise<Record<string, unknown>[]>;
}

type Scenario = (scene: Scene) => Promise<void>;

async function withAgents(urls: readonly string[], run: Scenario, changes: Ini = {}): Promise<void> {
  const home = makeHome(mergeIni({ agents: { url: urls.join('\n'), timeout: '60' } }, changes));
  const gateway = await startGateway(home);
  try {
    const { token } = (await (await fetch(`${gateway.url}/api/anonymous`)).json()) as { token: string };
    const get = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(gateway.url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
    const clusters = async () => (await (await get('/api/clusters')).json()) as Record<string, unknown>[];
    await run({ gateway, get, clusters });
  } finally {
    await gateway.close();
    home.close();
  }
}

test('the list of clusters has the documented members, in configured order, with both names of each action', async () => {
  const alpha = await new ScriptedAgent('alpha').open();
  const beta = await new ScriptedAgent('beta', { slurmdbd: undefined, cache: false }).open();
  try {
    await withAgents([`${beta.url}/agent/`, alpha.url], async ({ clusters }) => {
      const permissions = { roles: ['user'], actions: ['associations-view', 'jobs-view', 'view-jobs'] };
      const common = { racksdb: true, metrics: true, slurmdbd: { jobs_max_hours: 168 }, permissions };
      assert.deepEqual(await clusters(), [
        { name: 'beta', infrastructure: 'beta', cache: false, ...common },
        { name: 'alpha', infrastructure: 'alpha', cache: true, ...common },
      ]);
      const paths = beta.requests.map(one => one.url);
      assert.deepEqual([...new Set(paths)], ['/agent/info', '/agent/v7.0.0/permissions']);
      assert.equal(beta.requests.find(one => one.url.endsWith('/info'))?.headers.authorization, undefined);
      assert.match(alpha.requests.at(-1)?.headers.authorization ?? '', /^Bearer eyJ/);
    });
  } finally {
    await alpha.close();
    await beta.close();
  }
});

test('dead, slow, too old, duplicate and malformed agents neither fail nor delay the list, and say why', async () => {
  const good = await new ScriptedAgent('alpha').open();
  const old = await new ScriptedAgent('old', { version: '5.9.9' }).open();
  const twin = await new ScriptedAgent('alpha').open();
  const odd = await new ScriptedAgent('odd').open();
  odd.info = ['nonsense'];
  const racks = await new ScriptedAgent('racks', {
    racksdb: { enabled: true, version: '0.4.9', infrastructure: 'x' },
  }).open();
  // Two that never answer: what happened to them, in its order.
  const slow: string[] = [];
  const servers = await Promise.all(
    ['a', 'b'].map(async name => {
      const server = http.createServer((_request, reply) => {
        slow.push(`${name} asked`);
        reply.once('close', () => slow.push(`${name} given up`));
      });
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const slowUrls = servers.map(server => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    const urls = ['http://127.0.0.1:1', ...slowUrls, old.url, good.url, twin.url, odd.url, racks.url];
    const list = async ({ clusters }: Scene): Promise<void> => {
      const list = await clusters();
      assert.deepEqual(
        list.map(one => [one.name, one.error ?? false, one.reason ?? '']),
        [
          ['127.0.0.1:1', true, 'connection refused'],
          ...slowUrls.map(url => [new URL(url).host, true, 'no answer within 4 s']),
          ['old', true, 'the agent has version 5.9.9; at least 6.0.0 is needed'],
          ['alpha', false, ''],
          [new URL(twin.url).host, true, 'another agent announces the cluster alpha too'],
          [new URL(odd.url).host, true, '/info names no cluster'],
          ['racks', false, ''],
        ],
      );
      assert.equal(list.at(-1)?.racksdb, false);
      for (const one of list.filter(entry => entry.error)) {
        assert.deepEqual((one.permissions as { actions: string[] }).actions, ['stats-view', 'view-stats']);
        assert.deepEqual(one.slurmdbd, { jobs_max_hours: 168 });
      }
    };
    const together = async (): Promise<void> => {
      await until(() => slow.length === 4);
      assert.deepEqual(slow.splice(0).slice(0, 2).sort(), ['a asked', 'b asked'], 'one after the other');
    };
    await withAgents(
      urls,
      async scene => {
        await list(scene);
        await together();
        await list(scene);
        await together();
      },
      { agents: { timeout: '4' } },
    );
  } finally {
    for (const agent of [good, old, twin, odd, racks]) await agent.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
});

test('of two agents with one name the first of the settings has it, though the second answers first', async () => {
  const [first, second] = [await new ScriptedAgent('alpha').open(), await new ScriptedAgent('alpha').open()];
  let answer = (): void => undefined;
  first.ready = new Promise(resolve => {
    answer = resolve;
  });
  try {
    await withAgents([first.url, second.url], async ({ clusters }) => {
      const list = clusters();
      await until(() => second.requests.some(one => one.url.endsWith('/permissions')));
      answer();
      assert.deepEqual(
        (await list).map(one => [one.name, one.reason ?? '']),
        [
          ['alpha', ''],
          [new URL(second.url).host, 'another agent announces the cluster alpha too'],
        ],
      );
    });
  } finally {
    await first.close();
    await second.close();
  }
});

test('a cluster that goes away keeps its last data and permissions, and comes back by itself', async () => {
  const port = await freePort();
  const alpha = await new ScriptedAgent('alpha').open(port);
  await withAgents([alpha.url], async ({ clusters, get }) => {
    const before = (await clusters())[0];
    await alpha.close();
    const gone = (await clusters())[0];
    assert.deepEqual(
      { ...gone, error: undefined, reason: undefined },
      { ...before, error: undefined, reason: undefined },
    );
    assert.equal(gone?.error, true);
    assert.equal((await get('/api/agents/alpha/jobs')).status, 502);
    await alpha.open(port);
    assert.equal((await get('/api/agents/alpha/jobs')).status, 200);
    assert.equal((await clusters())[0]?.error, undefined);
    await alpha.close();
  });
});

test('an agent that is down at the start joins without a restart', async () => {
  const port = await freePort();
  const late = new ScriptedAgent('late');
  await withAgents([`http://127.0.0.1:${port}`], async ({ clusters }) => {
    assert.equal((await clusters())[0]?.error, true);
    await late.open(port);
    assert.equal((await clusters())[0]?.name, 'late');
    await late.close();
  });
});

test('hide_denied drops reachable clusters without actions, and only those', async () => {
  const denied = await new ScriptedAgent('denied').open();
  denied.permissions = { roles: [], actions: [] };
  try {
    const ui = { ui: { hide_denied: 'yes' } };
    await withAgents(
      [denied.url, 'http://127.0.0.1:1'],
      async ({ clusters }) => {
        assert.deepEqual(
          (await clusters()).map(one => one.name),
          ['127.0.0.1:1'],
        );
      },
      ui,
    );
    await withAgents([denied.url], async ({ clusters }) => assert.equal((await clusters()).length, 1));
  } finally {
    await denied.close();
  }
});

test('each documented query reaches the agent unchanged, with the user’s token and without cookies', async () => {
  const alpha = await new ScriptedAgent('alpha').open();
  const asked: readonly (readonly [string, string, string])[] = [
    ['GET', 'ping', '/v7.0.0/ping'],
    ['GET', 'stats', '/v7.0.0/stats'],
    ['GET', 'jobs?node=cn%5B01-04%5D&x=a+b', '/v7.0.0/jobs?node=cn%5B01-04%5D&x=a+b'],
    ['GET', 'jobs/past?hours=24', '/v7.0.0/jobs/past?hours=24'],
    ['GET', 'job/42', '/v7.0.0/job/42'],
    ['GET', 'nodes', '/v7.0.0/nodes'],
    ['GET', 'node/cn-1.cluster', '/v7.0.0/node/cn-1.cluster'],
    ['GET', 'partitions', '/v7.0.0/partitions'],
    ['GET', 'qos', '/v7.0.0/qos'],
    ['GET', 'reservations', '/v7.0.0/reservations'],
    ['GET', 'accounts', '/v7.0.0/accounts'],
    ['GET', 'associations', '/v7.0.0/associations'],
    ['GET', 'metrics/nodes?range=hour', '/v7.0.0/metrics/nodes?range=hour'],
    ['GET', 'cache/stats', '/v7.0.0/cache/stats'],
    ['POST', 'cache/reset', '/v7.0.0/cache/reset'],
    ['GET', 'racksdb/infrastructures?list', '/racksdb/v0.5.0/infrastructures?list'],
    [
      'POST',
      'racksdb/draw/infrastructure/a%2Fb.png?coordinates',
      '/racksdb/v0.5.0/draw/infrastructure/a%2Fb.png?coordinates',
    ],
  ];
  try {
    await withAgents([alpha.url], async ({ get, clusters }) => {
      await clusters();
      for (const [method, path, expected] of asked) {
        const answer = await get(`/api/agents/alpha/${path}`, { method, headers: { cookie: 'session=1' } });
        assert.equal(answer.status, 200, path);
        assert.deepEqual(await answer.json(), { asked: expected });
        const last = alpha.requests.at(-1);
        assert.equal(last?.method, method);
        assert.match(last?.headers.authorization ?? '', /^Bearer eyJ/);
        assert.equal(last?.headers.cookie, undefined);
        assert.equal(answer.headers.get('set-cookie'), null);
        assert.equal(answer.headers.get('x-secret'), null);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
      const body = '{"rack":{"labels":true}}';
      await get('/api/agents/alpha/racksdb/draw/infrastructure/alpha.png', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.equal(alpha.requests.at(-1)?.body, body);
      assert.equal(alpha.requests.at(-1)?.headers['content-type'], 'application/json');
    });
  } finally {
    await alpha.close();
  }
});

test('unknown clusters, paths and parameters are 404 before an agent is asked; a missing token is 401 first', async () => {
  const alpha = await new ScriptedAgent('alpha').open();
  try {
    await withAgents([alpha.url], async ({ gateway, get, clusters }) => {
      await clusters();
      const before = alpha.requests.length;
      const unknown = await get('/api/agents/c/jobs');
      assert.deepEqual(await unknown.json(), {
        code: 404,
        description: 'Unable to retrieve jobs from cluster c, cluster not found',
        name: 'Not Found',
      });
      for (const path of [
        'job/x',
        'job/-1',
        'job/1e3',
        'node/../x',
        'node/a b',
        'nothing',
        'v7.0.0/jobs',
        'metrics/../x',
        'job/1/2',
      ]) {
        assert.ok([400, 404].includes((await get(`/api/agents/alpha/${path}`)).status), path);
      }
      assert.equal((await get('/api/agents/alpha/racksdb/..%2f..%2fv7.0.0/jobs')).status, 400);
      assert.equal((await get('/api/agents/alpha/jobs', { method: 'POST' })).status, 405);
      assert.equal((await get('/api/agents/alpha/cache/reset')).status, 405);
      for (const path of ['/api/agents/alpha/jobs', '/api/agents/c/jobs', '/api/clusters']) {
        const anonymous = await fetch(gateway.url + path);
        assert.equal(anonymous.status, 401);
        assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer');
      }
      assert.equal(alpha.requests.length, before);
    });
  } finally {
    await alpha.close();
  }
});

test('what an agent answers passes through, but its 401, its pages and its redirects are 502', async () => {
  const alpha = await new ScriptedAgent('alpha').open();
  try {
    await withAgents([alpha.url], async ({ get, clusters }) => {
      await clusters();
      const ask = async (status: number, type: string): Promise<number> => {
        alpha.handler = (_request, reply) =>
          void reply.writeHead(status, { 'content-type': type, location: '/x' }).end('{"x":1}');
        const answer = await get('/api/agents/alpha/jobs');
        const body = (await answer.json()) as { description?: string };
        if (answer.status !== status) assert.match(body.description ?? '', /agent of cluster alpha/);
        return answer.status;
      };
      for (const status of [200, 400, 403, 404, 500, 501, 502, 503, 504]) {
        assert.equal(await ask(status, 'application/json'), status);
      }
      assert.equal(await ask(401, 'application/json'), 502);
      assert.equal(await ask(302, 'application/json'), 502);
      assert.equal(await ask(200, 'text/html'), 502);
    });
  } finally {
    await alpha.close();
  }
});

test('a slow agent is 504 after the time-out, and one that breaks off ends the answer', async () => {
  const alpha = await new ScriptedAgent('alpha').open();
  try {
    const slow: Scenario = async ({ get, clusters }) => {
      await clusters();
      alpha.handler = () => {};
      assert.equal((await get('/api/agents/alpha/jobs')).status, 504);
    };
    await withAgents([alpha.url], slow, { agents: { timeout: '2' } });
    alpha.handler = null;
    await withAgents([alpha.url], async ({ get, clusters }) => {
      await clusters();
      alpha.handler = (_request, reply) => {
        reply.writeHead(200, { 'content-type': 'application/json' });
        reply.write('{"x":');
        setTimeout(() => reply.destroy(), 50);
      };
      await assert.rejects(async () => (await get('/api/agents/alpha/jobs')).text());
      alpha.handler = null;
      assert.equal((await get('/api/agents/alpha/jobs')).status, 200);
    });
  } finally {
    await alpha.close();
  }
});

test('live events pass as they come, however long they pause, and take nobody’s connection', async () => {
  const alpha = await new ScriptedAgent('alpha').open();
  const open = new Set<http.ServerResponse>();
  let last: Response | null = null;
  const events: Handler = (_request, reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    reply.write('retry: 5000\n\n');
    open.add(reply);
    reply.once('close', () => open.delete(reply));
  };
  try {
    const watch: Scenario = async ({ get, clusters }) => {
      await clusters();
      alpha.handler = (request, reply) =>
        request.url === '/v7.0.0/events' ? events(request, reply) : json(reply, 200, []);
      const gone = new AbortController();
      const viewers = await Promise.all(
        Array.from({ length: 80 }, () => get('/api/agents/alpha/events', { signal: gone.signal })),
      );
      assert.ok(viewers.every(answer => answer.status === 200));
      assert.equal(viewers[0]?.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      assert.equal(viewers[0]?.headers.get('x-accel-buffering'), 'no');
      assert.equal((await get('/api/agents/alpha/jobs')).status, 200);
      // Longer than the time-out of an ordinary answer.
      await pause(6000);
      for (const reply of open) reply.write('event: nodes\ndata: {}\n\n');
      let text = '';
      for await (const chunk of viewers[79]?.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (text.includes('event: nodes')) break;
      }
      assert.equal(text, 'retry: 5000\n\nevent: nodes\ndata: {}\n\n');
      gone.abort();
      while (open.size > 0) await pause(10);
      // Only that query may answer so.
      alpha.handler = events;
      assert.equal((await get('/api/agents/alpha/jobs')).status, 502);
      last = await get('/api/agents/alpha/events');
    };
    await withAgents([alpha.url], watch, { agents: { timeout: '4' } });
    // A gateway that stops waits for no viewer.
    await assert.rejects(async () => last?.text());
  } finally {
    await alpha.close();
  }
});

test('large and compressed bodies stream through byte by byte, without being decoded', async () => {
  const alpha = await new ScriptedAgent('alpha').open();
  const block = randomBytes(1024 * 1024);
  const blocks = 64;
  let left = blocks;
  try {
    await withAgents([alpha.url], async ({ get, clusters }) => {
      await clusters();
      alpha.handler = (_request, reply) => {
        reply.writeHead(200, { 'content-type': 'image/png' });
        const more = (): void => {
          while (left > 0) {
            left -= 1;
            if (!reply.write(block)) return void reply.once('drain', more);
          }
          reply.end();
        };
        more();
      };
      const answer = await get('/api/agents/alpha/racksdb/draw/room/x.png');
      // Nobody has read yet: what is on its way is no more than sockets hold.
      await pause(500);
      assert.ok(left > blocks / 4, `${left} of ${blocks} left`);
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of answer.body ?? []) {
        hash.update(chunk as Uint8Array);
        size += (chunk as Uint8Array).length;
        if (size % 7 === 0) await pause(1);
      }
      const expected = createHash('sha256');
      for (let count = 0; count < blocks; count += 1) expected.update(block);
      assert.equal(size, block.length * blocks);
      assert.equal(hash.digest('hex'), expected.digest('hex'));

      const packed = gzipSync('{"packed":true}');
      alpha.handler = (_request, reply) =>
        void reply
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(packed);
      const { request } = await import('undici');
      const { token } = (await (await get('/api/anonymous')).json()) as { token: string };
      const url = new URL('/api/agents/alpha/jobs', answer.url).href;
      const raw = await request(url, {
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
      });
      assert.equal(raw.headers['content-encoding'], 'gzip');
      const bytes = Buffer.from(await raw.body.arrayBuffer());
      assert.ok(bytes.equals(packed));
      assert.equal(gunzipSync(bytes).toString(), '{"packed":true}');
    });
  } finally {
    await alpha.close();
  }
});
