/** Charts out of a real Prometheus that has stored a known past, and what a collector in trouble is answered with. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type HistoryOptions, readHistory } from '../../../edge/agent/history.ts';
import { Fault } from '../../../proto/fault.ts';
import { type OpenAgent, openAgent } from '../../support/agent.ts';
import { type Prometheus, startPrometheus } from '../../support/prometheus.ts';
import { freePort } from '../../support/until.ts';

type Chart = Record<string, [number, number][]>;

/** Seconds between the samples of the past, and how many there are: six hours. */
const STEP = 30;
const SAMPLES = 720;

/**
 * Six hours up to `end`: ten idle nodes of ours, two down in the last thirty minutes, one in error whose value is no
 * number, a replica and a foreign cluster with other values; a cache that counts six hits a minute and was restarted
 * twenty minutes ago.
 */
function pastUntil(end: number): string {
  const lines: string[] = [];
  const family = (
    name: string,
    series: Readonly<Record<string, (ago: number, at: number) => number | string>>,
  ): void => {
    lines.push(`# TYPE ${name} gauge`);
    for (const [labels, value] of Object.entries(series)) {
      for (let at = 0; at < SAMPLES; at++) {
        const ago = (SAMPLES - 1 - at) * STEP;
        lines.push(`${name}{${labels}} ${value(ago, at)} ${end - ago}`);
      }
    }
  };
  const ours = 'job="slurm",instance="a",cluster="alpha"';
  family('slurm_nodes', {
    [`${ours},state="idle"`]: () => 10,
    [`${ours},state="down"`]: ago => (ago <= 1800 ? 2 : 0),
    [`${ours},state="error"`]: () => 'NaN',
    'job="slurm",instance="b",cluster="alpha",state="idle"': () => 10,
    'job="other",instance="c",cluster="alpha",state="idle"': () => 999,
    'job="slurm",instance="d",cluster="beta",state="idle"': () => 500,
  });
  const hits = (ago: number, at: number): number => (ago >= 1200 ? at * 3 : (1200 - ago) / 10);
  family('slurmweb_cache_hit_total', { [ours]: hits });
  family('slurmweb_cache_miss_total', { [ours]: () => 7 });
  return `${lines.join('\n')}\n# EOF\n`;
}

describe('charts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwcharts-'));
  const end = Math.floor(Date.now() / 1000 / STEP) * STEP;
  let prometheus: Prometheus;
  let agent: OpenAgent;
  let off: OpenAgent;
  const chart = async (path: string): Promise<Chart> => {
    const answer = await agent.get(`/v7.0.0/metrics/${path}`);
    assert.equal(answer.status, 200, answer.body);
    return answer.json<Chart>();
  };

  before(async () => {
    const port = await freePort();
    const settings = (extra: string): string =>
      '[service]\ncluster=alpha\n[slurmrestd]\nuri=http://127.0.0.1:1\njwt_mode=static\njwt_token=any\n' +
      extra;
    agent = await openAgent(
      folder,
      settings(`[metrics]\nenabled=yes\nhost=http://127.0.0.1:${port}/\nmatch=cluster="alpha"\n`),
    );
    off = await openAgent(mkdtempSync(join(folder, 'off-')), settings(''));
    prometheus = await startPrometheus(agent.address, '/metrics', 'nobody', port, pastUntil(end));
  });
  after(async () => {
    await prometheus?.stop();
    await agent?.close();
    await off?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('have every state at the same whole steps, of our job and cluster only, without gaps', async () => {
    const first = end - (SAMPLES - 1) * STEP;
    for (const [range, step, span] of [
      ['hour', 30, 3600],
      ['day', 600, 86_400],
      ['week', 3600, 604_800],
    ] as const) {
      const nodes = await chart(`nodes?range=${range}`);
      assert.deepEqual(
        Object.keys(nodes),
        ['idle', 'mixed', 'allocated', 'drain', 'down', 'error', 'fail', 'unknown'],
        range,
      );
      const times = (nodes.idle ?? []).map(([time]) => time);
      // From the first data, or from the span before it was asked, up to the last data, whenever that was.
      const from = Math.max(first, Date.now() / 1000 - span);
      assert.ok((times[0] ?? Number.POSITIVE_INFINITY) <= (from + step) * 1000, `${range} ${times[0]}`);
      assert.ok((times.at(-1) ?? 0) > (end - step) * 1000, `${range} ${times.at(-1)}`);
      for (const [at, time] of times.entries()) assert.equal(time, (times[0] ?? 0) + at * step * 1000, range);
      for (const [state, points] of Object.entries(nodes)) {
        assert.deepEqual(
          points.map(([time]) => time),
          times,
          state,
        );
        for (const [time, value] of points) {
          assert.ok(Number.isInteger(time) && time % (step * 1000) === 0, `${time}`);
          assert.ok(Number.isFinite(value), state);
          if (state === 'idle') assert.equal(value, 10, range);
          if (state === 'error' || state === 'mixed') assert.equal(value, 0, state);
        }
      }
    }
  });

  test('show what was when, to the step', async () => {
    const { down = [] } = await chart('nodes?range=hour');
    const edge = (end - 1800) * 1000;
    for (const [time, value] of down) {
      // One window of two scrapes lies over the edge.
      if (time < edge) assert.equal(value, 0);
      else if (time >= edge + 60_000 && time <= end * 1000) assert.equal(value, 2);
    }
    assert.ok(down.some(([, value]) => value === 0) && down.some(([, value]) => value === 2));
    assert.deepEqual(await chart('nodes'), await chart('nodes?range=hour'));
  });

  test('of the cache are what was counted a step, never below nothing', async () => {
    const { hit = [], miss = [], ...rest } = await chart('cache?range=hour');
    assert.deepEqual(rest, {});
    assert.deepEqual(
      hit.map(([time]) => time),
      miss.map(([time]) => time),
    );
    const known = hit.filter(([time]) => time <= end * 1000);
    assert.ok((known.at(-1)?.[0] ?? 0) > (end - 60) * 1000 && known.length > 30, String(known.length));
    for (const [time, value] of known) {
      assert.equal(time % 60_000, 0);
      const ago = end - time / 1000;
      if (ago > 1260 || ago < 1140) assert.equal(value, 6, String(ago));
      else assert.ok(value >= 0, String(value));
    }
    assert.ok(miss.every(([, value]) => value === 0));
  });

  test('are empty where nothing was stored, and refused where metrics are off', async () => {
    assert.deepEqual(await chart('gpus'), {});
    const refused = await off.get('/v7.0.0/metrics/nodes');
    assert.equal(refused.status, 501);
    assert.equal(refused.json<{ code: number }>().code, 501);
    assert.equal((await off.get('/metrics', null)).status, 404);
    assert.equal((await agent.get('/v7.0.0/metrics/nodes?range=hour&range=day')).status, 400);
    assert.equal((await agent.get('/v5.0.0/metrics/nodes')).status, 404);
  });
});

describe('a collector in trouble', () => {
  let server: Server;
  let reply: (response: ServerResponse) => void = response => response.end();
  let options: HistoryOptions;
  before(async () => {
    server = createServer((_request, response) => reply(response));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    options = {
      host,
      job: 'q"\\',
      prefix: 'slurm',
      match: null,
      scrapeInterval: 30,
      patience: 60,
      now: Date.now,
    };
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const json = { 'content-type': 'application/json' };
  for (const [what, answer, status, words] of [
    [
      'says what is wrong',
      r => r.writeHead(422, json).end('{"status":"error","error":"too many samples"}'),
      502,
      /too many samples/,
    ],
    ['answers a page', r => r.writeHead(200).end('<html>'), 502, /no JSON/],
    ['fails', r => r.writeHead(500).end(), 502, /status 500/],
    [
      'sends elsewhere',
      r => r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end('{}'),
      502,
      /status 302/,
    ],
    ['breaks off', r => void r.writeHead(200, json).write('{"status"', () => r.destroy()), 502, /./],
    ['has too much to say', r => r.writeHead(200, json).end(Buffer.alloc(40 << 20, ' ')), 502, /more than/],
    ['says nothing', () => undefined, 504, /within 1 s/],
    ['begins and stops', r => void r.writeHead(200, json).write('{'), 504, /within 1 s/],
  ] as const satisfies readonly (readonly [
    string,
    (response: ServerResponse) => unknown,
    number,
    RegExp,
  ])[]) {
    test(`that ${what} is told with ${status === 502 ? 'its words' : 'the time waited'}`, async () => {
      reply = answer;
      // Only who says nothing is waited for no longer than a second.
      const patience = status === 504 ? 1 : options.patience;
      await assert.rejects(readHistory('nodes', 'hour', { ...options, patience }), (error: unknown) => {
        assert.ok(error instanceof Fault, String(error));
        assert.match(error.message, words);
        assert.equal(status === 502 ? error.http : error.reason, status === 502 ? 502 : 'timeout');
        return true;
      });
    });
  }

  test('is asked with a query whose labels are escaped', async () => {
    const asked = new Promise<string>(resolve => {
      server.once('request', request => resolve(request.url ?? ''));
    });
    reply = response => response.writeHead(200, json).end('{"status":"success","data":{"result":[]}}');
    assert.deepEqual(await readHistory('jobs', 'day', options), {});
    const url = new URL(await asked, options.host);
    assert.equal(url.pathname, '/api/v1/query');
    assert.equal(
      url.searchParams.get('query'),
      '(max by (state) (avg_over_time(slurm_jobs{job="q\\"\\\\"}[600s])))[86400s:600s]',
    );
  });
});
