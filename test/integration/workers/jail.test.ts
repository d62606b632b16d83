/** What a tool of the host that reads submitted content can reach: nothing but what it was given. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ToolOptions } from '../../../workers/context.ts';
import { runTool } from '../../../workers/tool.ts';

describe('a tool in a jail', () => {
  let folder = '';
  const given = (): string => join(folder, 'given');
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rw-jail-'));
    writeFileSync(given(), 'content');
    writeFileSync(join(folder, 'other'), 'secret');
    mkdirSync(join(folder, 'out'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (script: string, options: ToolOptions = {}) => {
    const jail = { read: [given()], write: [join(folder, 'out')] };
    const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };
    const end = await runTool(
      ['sh', '-c', script, 'sh', folder],
      { jail, accept: [0, 1, 2], ...options },
      { signal: new AbortController().signal, env },
    );
    return { code: end.exitCode, said: end.stdout.toString(), errors: end.stderr };
  };

  test('reads what it is given at the path that it has outside, and writes where it may', async () => {
    const { code } = await run('cat "$1/given" >"$1/out/copy"');
    assert.equal(code, 0);
    assert.equal(readFileSync(join(folder, 'out/copy'), 'utf8'), 'content');
  });

  test('finds neither what lies beside nor anything else of the host', async () => {
    const { said } = await run('ls "$1"; ls -A /; ls -A /tmp');
    assert.deepEqual(said.split('\n').filter(Boolean), [
      'given',
      'out',
      'bin',
      'dev',
      'lib',
      'lib64',
      'tmp',
      'usr',
      folder.split('/')[2],
    ]);
    assert.equal((await run('cat "$1/other"')).code, 1);
  });

  test('can not change what it reads', async () => {
    const { code, errors } = await run('echo more >>"$1/given"');
    assert.notEqual(code, 0);
    assert.match(errors, /Read-only file system/);
    assert.equal(readFileSync(given(), 'utf8'), 'content');
    assert.equal((await run('touch /usr/bin/mine')).code, 1);
    assert.equal(existsSync('/usr/bin/mine'), false);
  });

  test('has no capability, no network, no other process, and no input of ours', async () => {
    const script = [
      'import os, socket',
      'print(os.getuid(), os.getpid() < 10, [name for _, name in socket.if_nameindex()])',
      'os.chroot("/usr")',
    ].join('\n');
    const { code, said, errors } = await run(`python3 -c '${script}'`);
    assert.equal(said.trim(), "65534 True ['lo']");
    assert.equal(code, 1);
    assert.match(errors, /PermissionError/);
    assert.equal((await run('cat')).said, '');
  });

  test('is named by its own name when it fails, and ends with its time', async () => {
    await assert.rejects(run('exit 7'), { message: /^sh ended with code 7/ });
    await assert.rejects(run('sleep 100', { timeout: 200 }), {
      reason: 'timeout',
      message: /^sh did not end/,
    });
  });
});
