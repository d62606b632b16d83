/** The agent's cache on a real Redis, and its diagnostics from the command line on a real Slurm. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Cache } from '../../../edge/agent/cache.ts';
import { startSlurm } from '../../support/slurm.ts';
import { freePort, until } from '../../support/until.ts';

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
    // Until the connection is there, and where Redis is too slow once, answers are kept in memory: a key a round.
    let key = '';
    let mine = { at: 0 };
    await until(async () => {
      key = `try-${loads}`;
      mine = await first.read('nodes', key, 600, load);
      return isDeepStrictEqual(await second.read('nodes', key, 600, load), mine);
    });
    assert.notDeepEqual(await other.read('nodes', key, 600, load), mine);
    assert.ok((second.counts.hit.nodes ?? 0) >= 1);
    // What somebody else has left under our name is no answer, and no fault of the reader.
    const words = ['-p', String(port), 'set', 'rackwright:alpha:nodes:odd', '{"half'];
    await new Promise(resolve => spawn('redis-cli', words, { stdio: 'ignore' }).once('close', resolve));
    assert.equal((await first.read('nodes', 'odd', 60, load)).at, loads);
    redis.kill('SIGKILL');
    await ended;
    assert.equal((await first.read('nodes', 'later', 60, load)).at, loads);
    assert.deepEqual(await first.read('nodes', key, 600, load), mine);
    await until(async () => warnings.some(text => /Redis is not to be had/.test(text)));
  } finally {
    redis.kill('SIGKILL');
    for (const cache of [first, second, other]) await cache.close();
  }
});

function command(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve =>
    execFile(process.execPath, [CLI, ...words], (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    ),
  );
}

test('the command line says of each part of a connection what is right or how to mend it', async () => {
  const slurm = await startSlurm({ nodes: 2, cloud: 10 });
  const conf = join(slurm.folder, 'agent.ini');
  const check = (lines: string): ReturnType<typeof command> => {
    writeFileSync(conf, `[service]\ncluster=alpha\n[slurmrestd]\njwt_user=root\ntimeout=10\n${lines}\n`, {
      mode: 0o600,
    });
    return command('cluster', 'check', '--conf', conf);
  };
  const tcp = `uri=${slurm.tcp}\n`;
  try {
    const right = await check(`${tcp}jwt_key=${slurm.jwtKey}`);
    assert.equal(right.code, 0, right.out + right.err);
    assert.match(right.out, /✅ version: slurm 22\.05\.\d+, API 0\.0\.38/);
    assert.match(right.out, /✅ nodes: 12 are readable/);
    assert.match(right.out, /✅ clock: differs by \d+ s/);
    assert.match(right.out, /💡 accounting: not available/);
    const line = await command('connect-check', '--conf', conf);
    assert.match(
      line.out,
      /^✅ connection successful! \(cluster: alpha, slurm: 22\.05\.\d+, api: 0\.0\.38\)\n$/,
    );
    const local = await check(`uri=${slurm.unix}\nauth=local`);
    assert.equal(local.code, 0, local.out + local.err);
    assert.match(local.out, /💡 credential: local authentication, which Slurm 25\.05 has removed/);
    const [, token = ''] =
      /SLURM_JWT=(\S+)/.exec(await slurm.ask('scontrol', 'token', 'lifespan=7200')) ?? [];
    const fixed = await check(`${tcp}jwt_mode=static\njwt_token=${token}`);
    assert.equal(fixed.code, 0, fixed.out + fixed.err);
    assert.match(fixed.out, /✅ credential: the token holds for 1\d\d minutes/);
    const [, brief = ''] = /SLURM_JWT=(\S+)/.exec(await slurm.ask('scontrol', 'token', 'lifespan=1')) ?? [];
    await until(async () =>
      /has expired/.test((await check(`${tcp}jwt_mode=static\njwt_token=${brief}`)).out),
    );
    const refused = await check(`${tcp}jwt_key=${join(slurm.folder, 'munge/key')}`);
    assert.equal(refused.code, 1);
    assert.match(refused.out, /❌ connection: .*\[slurmrestd\]>jwt_key/);
    const keyless = await check(`${tcp}jwt_key=/nowhere/key`);
    assert.equal(keyless.code, 1);
    assert.match(
      keyless.out,
      /❌ connection: the key \/nowhere\/key of \[slurmrestd\]>jwt_key can't be read/,
    );
    await check(`uri=http://127.0.0.1:1\njwt_key=${slurm.jwtKey}`);
    const away = await command('connect-check', '--conf', conf);
    assert.equal(away.code, 1);
    assert.equal(away.out, '❌ connection failure\n');
    assert.match(away.err, /no connection to http:\/\/127\.0\.0\.1:1/);
  } finally {
    await slurm.stop();
  }
});
