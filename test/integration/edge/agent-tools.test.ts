/** The agent's cache on a real Redis, and its diagnostics from the command line on a real Slurm. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Cache } from '../../../edge/agent/cache.ts';
import { freePort } from '../../support/prometheus.ts';
import { startSlurm, until } from '../../support/slurm.ts';

const CLI = fileURLToPath(new URL('../../../edge/cli/main.ts', import.meta.url));

function startRedis(port: number): ChildProcess {
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  return spawn('redis-server', words, { stdio: 'ignore' });
}

test('agents share answers through Redis, keep to their own keys, and go on without it', async () => {
  const port = await freePort();
  const redis = startRedis(port);
  const ended = new Promise(resolve => redis.once('close', resolve));
  const warnings: string[] = [];
  const open = (prefix: string): Cache =>
    new Cache({
      redis: { host: '127.0.0.1', port, password: null },
      prefix,
      enabled: true,
      now: Date.now,
      warn: text => warnings.push(text),
    });
  const [first, second, other] = [
    open('rackwright:alpha:'),
    open('rackwright:alpha:'),
    open('rackwright:beta:'),
  ];
  let loads = 0;
  const load = async (): Promise<{ at: number }> => ({ at: ++loads });
  try {
    // Until the connection is there answers are kept in memory; a key a round tells when it is.
    let round = 0;
    await until(async () => {
      const key = `try-${round++}`;
      const { at } = await first.read('jobs', key, 60, load);
      return (await second.read('jobs', key, 60, load)).at === at;
    });
    const mine = await first.read('nodes', 'all', 60, load);
    assert.deepEqual(await second.read('nodes', 'all', 60, load), mine);
    assert.notDeepEqual(await other.read('nodes', 'all', 60, load), mine);
    assert.ok((second.counts.hit.nodes ?? 0) >= 1);
    redis.kill('SIGKILL');
    await ended;
    assert.equal((await first.read('nodes', 'later', 60, load)).at, loads);
    assert.deepEqual(await first.read('nodes', 'all', 60, load), mine);
    await until(async () => warnings.some(text => /Redis is not to be had/.test(text)));
  } finally {
    redis.kill('SIGKILL');
    for (const cache of [first, second, other]) await cache.close();
  }
});

test('the command line says of each part of a connection what is right or how to mend it', async () => {
  const slurm = await startSlurm({ nodes: 2, cloud: 10 });
  const run = (...words: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise(resolve =>
      execFile(process.execPath, [CLI, ...words], (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      ),
    );
  const conf = join(slurm.folder, 'agent.ini');
  const write = (uri: string, key: string): void =>
    writeFileSync(
      conf,
      `[service]\ncluster=alpha\n[slurmrestd]\nuri=${uri}\njwt_user=root\njwt_key=${key}\ntimeout=10\n`,
    );
  try {
    write(slurm.tcp, slurm.jwtKey);
    const right = await run('cluster', 'check', '--conf', conf);
    assert.equal(right.code, 0, right.out + right.err);
    assert.match(right.out, /✅ version: slurm 22\.05\.\d+, API 0\.0\.38/);
    assert.match(right.out, /✅ nodes: 12 are readable/);
    assert.match(right.out, /✅ clock: differs by \d+ s/);
    assert.match(right.out, /💡 accounting: not available/);
    const line = await run('connect-check', '--conf', conf);
    assert.match(
      line.out,
      /^✅ connection successful! \(cluster: alpha, slurm: 22\.05\.\d+, api: 0\.0\.38\)\n$/,
    );
    write(slurm.tcp, join(slurm.folder, 'munge/key'));
    const refused = await run('cluster', 'check', '--conf', conf);
    assert.equal(refused.code, 1);
    assert.match(refused.out, /❌ connection: .*\[slurmrestd\]>jwt_key/);
    write('http://127.0.0.1:1', slurm.jwtKey);
    const away = await run('connect-check', '--conf', conf);
    assert.equal(away.code, 1);
    assert.equal(away.out, '❌ connection failure\n');
    assert.match(away.err, /no connection to http:\/\/127\.0\.0\.1:1/);
  } finally {
    await slurm.stop();
  }
});
