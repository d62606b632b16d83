/** The edge's metrics of itself and the daemon: right numbers, accepted by strict readers, for listed networks only. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadEdgeConfig } from '../../../edge/config.ts';
import { type Edge, openEdge } from '../../../edge/edge.ts';
import { places } from '../../../systemd/settings.ts';
import {
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
} from '../../support/daemon.ts';
import { type Parsed, promtoolOn, readStrictly } from '../../support/exposition.ts';
import { until } from '../../support/until.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Seconds since the epoch. */
const KEY_END = 4_102_444_800;
const OPEN = 'application/openmetrics-text';

/** An edge over the home, with these lines in its section. */
function edgeWith(home: Home, lines: string): Promise<Edge> {
  home.configure('rackwright.ini', `[edge]\nport = 0\n${lines}`);
  const { settings } = loadEdgeConfig(places(home.path));
  const rest = { log: SILENT, now: Date.now, random: Math.random, roles: [], passedSocket: null };
  return openEdge({ settings, ...rest });
}

describe('metrics of edge and daemon', () => {
  const home = makeHome();
  let daemon: RunningDaemon;
  let edge: Edge;
  const scrape = (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${edge.addresses[0]}/metrics`, { headers });
  /** A scrape for which the daemon answered in time. */
  const scrapeWhole = async (
    headers: Record<string, string> = {},
  ): Promise<{ type: string; text: string }> => {
    let found = { type: '', text: '' };
    await until(async () => {
      const answer = await scrape(headers);
      found = { type: answer.headers.get('content-type') ?? '', text: await answer.text() };
      return /^rackwright_daemon_up 1$/m.test(found.text);
    });
    return found;
  };

  before(async () => {
    pretendReady(home);
    const keys = JSON.stringify({ master: { expires: 0 }, subkey: { expires: KEY_END } });
    writeFileSync(join(home.path, 'lib/keyring/default/keyring.json'), keys);
    daemon = await startDaemon(home, { quick: true });
    edge = await edgeWith(home, 'metrics = yes\n');
  });
  after(async () => {
    await edge?.close();
    await daemon?.stop('SIGKILL');
    home.remove();
  });

  test('tell what the daemon did and does, and which routes were asked, to strict readers of both forms', async () => {
    const builds = daemon.service('BuildService');
    for (const artifact of ['ok', 'ok', 'fail', 'wait3600000'])
      await builds.submitBuild(spoolBuild(home, artifact));
    const tasks = daemon.service('DaemonService');
    await until(async () => {
      const { running, ended } = await tasks.getDaemonStatus({});
      return running === 1 && ended.reduce((sum, one) => sum + Number(one.count), 0) === 3;
    });
    for (const path of ['/version', '/default/bookworm/no-such.json', '/nothing/at/all']) {
      await (await fetch(edge.addresses[0] + path)).text();
    }
    const { text } = await scrapeWhole();
    assert.equal(await promtoolOn(text), '');
    const open = await scrapeWhole({ accept: OPEN });
    assert.equal(open.type, 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    for (const families of [await readStrictly(text, 'text'), await readStrictly(open.text, 'openmetrics')]) {
      const samples = families.flatMap(family => family.samples);
      const all = (name: string, labels: Readonly<Record<string, string>>): Parsed['samples'] =>
        samples.filter(
          one =>
            one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
        );
      const only = (name: string, labels = {}): number | undefined => all(name, labels)[0]?.value;
      assert.equal(only('rackwright_daemon_up'), 1);
      assert.equal(only('rackwright_tasks', { state: 'running' }), 1);
      assert.equal(only('rackwright_tasks', { state: 'pending' }), 0);
      assert.equal(
        only('rackwright_signing_key_expires_timestamp_seconds', { instance: 'default' }),
        KEY_END,
      );
      const ended = { instance: 'default', name: 'artifact build' };
      assert.equal(only('rackwright_tasks_ended_total', { ...ended, result: 'success' }), 2);
      assert.equal(only('rackwright_tasks_ended_total', { ...ended, result: 'failed' }), 1);
      const asked = 'rackwright_http_request_duration_seconds_count';
      assert.equal(only(asked, { route: '/version', status: '200' }), 1);
      // Paths that are not ours are one route: names of strangers' making would be series without end.
      assert.ok(samples.every(one => !one.labels.route?.includes('nothing')));
    }
  });

  test('are compressed on request and never kept', async () => {
    const answer = await scrape({ 'accept-encoding': 'gzip' });
    assert.equal(answer.headers.get('content-encoding'), 'gzip');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(answer.headers.get('vary') ?? '', /Accept, Accept-Encoding/);
    assert.match(await answer.text(), /^# HELP /);
  });

  test('are not compressed for who refuses it', async () => {
    for (const refusal of ['gzip;q=0', 'gzip;q=0 , br', 'br, gzip ; q=0.0']) {
      const answer = await scrape({ 'accept-encoding': refusal });
      assert.equal(answer.headers.get('content-encoding'), null, refusal);
      await answer.body?.cancel();
    }
  });

  test('go on while the daemon is away, and say so', async () => {
    await daemon.stop('SIGKILL');
    assert.match(await (await scrape()).text(), /^rackwright_daemon_up 0$/m);
    daemon = await startDaemon(home, { quick: true });
    await scrapeWhole();
  });

  test('are for the listed networks, told by a trusted proxy where there is one, and for nobody unless wanted', async () => {
    const behind = await edgeWith(
      home,
      'metrics = yes\nmetrics_restrict = 192.0.2.0/24\ntrusted_proxies = 127.0.0.0/8\n',
    );
    const stranger = await edgeWith(home, 'metrics = yes\nmetrics_restrict = 192.0.2.0/24\n');
    const without = await edgeWith(home, '');
    try {
      const ask = async (at: Edge, forwarded: string): Promise<number> => {
        const answer = await fetch(`${at.addresses[0]}/metrics`, {
          headers: { 'x-forwarded-for': forwarded },
        });
        await answer.text();
        return answer.status;
      };
      assert.equal(await ask(behind, '192.0.2.9'), 200);
      assert.equal(await ask(behind, '192.0.2.9, 10.1.1.1'), 403);
      assert.equal(await ask(behind, 'nonsense'), 403);
      assert.equal(await ask(stranger, '192.0.2.9'), 403);
      assert.equal(await ask(without, '127.0.0.1'), 404);
    } finally {
      for (const one of [behind, stranger, without]) await one.close();
    }
  });
});
