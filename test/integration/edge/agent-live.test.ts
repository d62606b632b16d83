/** Live events over HTTP: one look upstream for any number of viewers, none that slows another, nothing left behind. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { makeAuthenticate } from '../../../edge/agent/access.ts';
import type { Row } from '../../../edge/agent/cluster.ts';
import { Live } from '../../../edge/agent/live.ts';
import { loadAgentPolicy } from '../../../edge/agent/policy.ts';
import { addEventRoutes } from '../../../edge/agent/routes/events.ts';
import { speakAgent } from '../../../edge/agent/speak.ts';
import { parseTokenKey } from '../../../edge/auth/key.ts';
import { issueToken, verifyToken } from '../../../edge/auth/token.ts';
import { parseNetworks } from '../../../edge/http/networks.ts';
import { openHttp } from '../../../edge/http/server.ts';
import { until } from '../../support/until.ts';

/** Milliseconds between looks. */
const EVERY = 20;
const SILENT = { warn: () => undefined, error: () => undefined };
const POLICY = `[roles]
all=@all
own=@own
nodes=@nodes
none=@none
[all]
actions=view-jobs,view-nodes
[own]
actions=jobs-view-own
[nodes]
actions=view-nodes
[none]
actions=view-stats
`;

/** A cluster whose every node is in another state at each look, and a job of ann's and one of bob's. */
class Changing {
  /** Looks begun so far. */
  looks = 0;
  size = 3;
  trouble: Error | null = null;
  /** What a look waits for. */
  gate: () => Promise<void> = async () => undefined;

  async nodes(): Promise<readonly Row[]> {
    const look = ++this.looks;
    await this.gate();
    if (this.trouble) throw this.trouble;
    const states = [look % 2 === 0 ? 'IDLE' : 'ALLOCATED'];
    return Array.from({ length: this.size }, (_, at) => row(`n${at}`, '', states));
  }

  async jobs(): Promise<readonly Row[]> {
    const states = [this.looks % 2 === 0 ? 'RUNNING' : 'SUSPENDED'];
    return [row('1', 'ann', states), row('2', 'bob', [...states, `LOOK_${this.looks}`])];
  }
}

/** The last look whose changes stand whole in a text. */
const lookOf = (text: string): number =>
  Number([...text.slice(-1000).matchAll(/"LOOK_(\d+)"\]}\n\n/g)].at(-1)?.[1] ?? 0);

const row = (id: string, user: string, states: string[]): Row => ({ json: '', id, user, nodes: '', states });

describe('live events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwlive-'));
  const key = parseTokenKey(randomBytes(32), 'HS256');
  let cluster: Changing;
  let app: FastifyInstance;
  let port = 0;
  let stopping: AbortController;
  /** Milliseconds by which the streams' clock is ahead of the one that tokens are checked by. */
  let ahead = 0;

  beforeEach(async () => {
    ahead = 0;
    cluster = new Changing();
    stopping = new AbortController();
    const roles = join(folder, 'policy.ini');
    writeFileSync(roles, POLICY);
    const policy = loadAgentPolicy({ roles, vendor_roles: null });
    const verify = verifyToken({ algorithm: 'HS256', audience: 'slurm-web', keys: [key], now: Date.now });
    app = openHttp({
      log: SILENT,
      trustedProxies: parseNetworks([]),
      connectionsPerPeer: 0,
      speakers: [],
      speak: speakAgent,
    });
    addEventRoutes(app, {
      live: new Live(cluster, EVERY),
      authenticate: makeAuthenticate(verify, policy),
      now: () => Date.now() + ahead,
      stopping: stopping.signal,
    });
    port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  });
  afterEach(async () => {
    stopping.abort();
    await app.close();
  });
  test.after(() => rmSync(folder, { recursive: true, force: true }));

  /** A viewer on a socket of its own; `text` is what it has read. */
  const view = async (login: string, group: string) => {
    const issue = issueToken({ algorithm: 'HS256', audience: 'slurm-web', keys: [key], now: Date.now }, 1);
    const { token } = await issue(login, [group]);
    const socket: Socket = connect(port, '127.0.0.1');
    const viewer = { socket, text: '', closed: false };
    socket.on('data', chunk => {
      viewer.text = (viewer.text + chunk.toString()).slice(-100_000);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      viewer.closed = true;
    });
    socket.write(`GET /v7.0.0/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
    return viewer;
  };
  const later = (looks: number): Promise<void> => {
    const from = cluster.looks;
    return until(async () => cluster.looks >= from + looks);
  };
  /** One look a pause at the most, however many look; timers count in whole milliseconds. */
  const assertOneLooks = async (): Promise<void> => {
    const [from, began] = [cluster.looks, performance.now()];
    await later(10);
    assert.ok(cluster.looks - from <= (performance.now() - began + 2) / EVERY + 1);
  };
  /** Whether nobody looks any longer, over several times the pause between looks. */
  const isQuiet = async (): Promise<boolean> => {
    const from = cluster.looks;
    await new Promise(resolve => setTimeout(resolve, 10 * EVERY));
    return cluster.looks === from;
  };

  test('twenty viewers cost the looks of one, and none goes on when all have left', async () => {
    const viewers = await Promise.all(Array.from({ length: 20 }, () => view('eve', 'all')));
    await until(async () => viewers.every(viewer => /event: nodes\ndata: {"id":"n2"/.test(viewer.text)));
    await assertOneLooks();
    for (const viewer of viewers) viewer.socket.destroy();
    await until(isQuiet);
  });

  test('who leaves during a look and comes back is one viewer still', async () => {
    let open = (): void => undefined;
    const first = await view('eve', 'all');
    await later(3);
    const held = new Promise<void>(resolve => {
      open = resolve;
    });
    cluster.gate = () => held;
    await later(1);
    first.socket.destroy();
    // It must have left before the second comes: two at once would share the look that is held.
    await until(async () => (await connections(app)) === 0);
    const second = await view('eve', 'all');
    await later(1);
    open();
    await until(async () => second.text.includes('event: nodes'));
    await assertOneLooks();
    second.socket.destroy();
    await until(isQuiet);
  });

  test('a viewer that does not read is cut off, and no other misses anything', async () => {
    const slow = await view('eve', 'all');
    const quick = await view('eve', 'all');
    await until(async () => slow.text.includes('event: nodes') && quick.text.includes('event: nodes'));
    slow.socket.pause();
    // The quick one has always read all before the next look: how quick that is, is the machine's business.
    cluster.gate = () => until(async () => quick.closed || lookOf(quick.text) >= cluster.looks - 1);
    cluster.size = 20_000;
    // Our end goes at once, though the socket's own buffers may still be full of what was sent before.
    await until(async () => (await connections(app)) === 1);
    const from = cluster.looks;
    await until(async () => cluster.looks > from + 3 && quick.text.includes('"n19999"'));
    slow.socket.resume();
    await until(async () => slow.closed);
    assert.equal(quick.closed, false);
    quick.socket.destroy();
  });

  test('one sees what one may see', async () => {
    const viewers = {
      all: await view('eve', 'all'),
      own: await view('Ann', 'own'),
      nodes: await view('eve', 'nodes'),
      none: await view('eve', 'none'),
    };
    await until(async () =>
      ['all', 'own', 'nodes'].every(name => viewers[name as 'all'].text.includes('event: ')),
    );
    await until(async () => viewers.none.text.includes('view-nodes'));
    await later(5);
    assert.match(viewers.all.text, /event: jobs\ndata: {"id":"2"/);
    assert.match(viewers.all.text, /event: nodes/);
    assert.match(viewers.own.text, /event: jobs\ndata: {"id":"1","state":\["(RUNNING|SUSPENDED)"\]}/);
    assert.doesNotMatch(viewers.own.text, /"id":"2"|event: nodes/);
    assert.doesNotMatch(viewers.nodes.text, /event: jobs/);
    assert.match(
      viewers.none.text,
      /^HTTP\/1\.1 403 (?:.|\s)*user eve is not allowed to perform action view-nodes/,
    );
    for (const viewer of Object.values(viewers)) viewer.socket.destroy();
  });

  test('trouble is told and passes, and what is gone has no state', async () => {
    const viewer = await view('eve', 'all');
    await until(async () => viewer.text.includes('event: nodes'));
    cluster.trouble = new Error('slurmctld is away');
    await until(async () => viewer.text.includes('event: trouble'));
    viewer.text = '';
    cluster.trouble = null;
    cluster.size = 1;
    await until(async () => viewer.text.includes('event: nodes\ndata: {"id":"n2","state":null}'));
    viewer.socket.destroy();
  });

  test('a stream ends with the token that opened it', async () => {
    // Its day is over within a second, by the clock of the streams.
    ahead = 86_394_000;
    const brief = await view('eve', 'all');
    await until(async () => /\r\n0\r\n\r\n$/.test(brief.text));
    assert.match(brief.text, /^HTTP\/1\.1 200 [\s\S]*\nretry: 5000\n/);
    ahead = 0;
    const long = await view('eve', 'all');
    await until(async () => long.text.includes('event: nodes'));
    await later(3);
    assert.doesNotMatch(long.text, /\r\n0\r\n\r\n$/);
    for (const viewer of [brief, long]) viewer.socket.destroy();
  });

  test('HEAD is answered as GET would be, and leaves nobody looking', async () => {
    const issue = issueToken({ algorithm: 'HS256', audience: 'slurm-web', keys: [key], now: Date.now }, 1);
    const head = async (group: string) => {
      const { token } = await issue('eve', [group]);
      const headers = { authorization: `Bearer ${token}` };
      return fetch(`http://127.0.0.1:${port}/v7.0.0/events`, { method: 'HEAD', headers });
    };
    const answer = await head('all');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.equal((await head('none')).status, 403);
    assert.ok(await isQuiet());
  });

  test('streams end when the edge stops', async () => {
    const viewer = await view('eve', 'all');
    await until(async () => viewer.text.includes('event: nodes'));
    stopping.abort();
    // The last piece is whole.
    await until(async () => /\r\n0\r\n\r\n$/.test(viewer.text));
    await until(isQuiet);
    viewer.socket.destroy();
  });
});

function connections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
