/** A Debian system made from a registry of ours alone, and kept by it: installed, upgraded, put back, and not deceived. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeDeb } from '../support/debs.ts';
import { testCache } from '../support/environment.ts';
import { DEB, RegistryPair } from '../support/registry-pair.ts';

const FETCH = fileURLToPath(new URL('../support/fetch-essential.sh', import.meta.url));
const CLEAN = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };

/** Runs a command without what this machine has set, proxies and the like. Never throws for an exit code. */
function run(command: string, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise(resolve => {
    execFile(command, args, { env: CLEAN, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
    });
  });
}

const skip = process.getuid?.() === 0 ? false : 'a system of its own is made by root here';

describe('a Debian system made from our registry alone', { skip }, () => {
  let site: RegistryPair;
  let root = '';
  let key = '';

  before(async () => {
    execFileSync('sh', [FETCH, join(testCache(), 'essential')], { stdio: ['ignore', 'ignore', 'pipe'] });
    site = await RegistryPair.open();
    await site.import(DEB, folder =>
      cpSync(join(testCache(), 'essential/debs'), folder, {
        recursive: true,
        filter: path => !path.endsWith('.complete'),
      }),
    );
    root = join(site.home, 'root');
    key = await site.keyring();
  });
  after(() => site?.close());

  const chroot = (...words: string[]) => run('chroot', root, ...words);
  const apt = (...words: string[]) => chroot('apt-get', '-y', '-o', 'APT::Sandbox::User=root', ...words);
  const source = (signedBy: string): string =>
    `deb [signed-by=${signedBy}] ${site.pair.url}/site/deb stable main`;

  /** Version of our package in the system; empty where it is not there. */
  async function installed(): Promise<string> {
    const { output } = await chroot('dpkg', '--status', 'site-tool');
    return /^Version: (.*)$/m.exec(output)?.[1] ?? '';
  }

  async function publish(version: string): Promise<void> {
    await site.import(DEB, folder => {
      makeDeb(folder, { name: 'site-tool', version, files: { 'usr/share/site-tool/version': version } });
    });
  }

  test('is made by mmdebstrap, every index and package checked', async () => {
    const hooks = '--hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr';
    const mode = ['--mode=root', '--variant=apt', '--dpkgopt=force-unsafe-io', hooks];
    const without = await run(
      'mmdebstrap',
      ...mode,
      'stable',
      root,
      source('/usr/share/keyrings/debian-archive-keyring.gpg'),
    );
    assert.notEqual(without.code, 0, 'it was made although nothing is signed by the key');
    assert.match(without.output, /NO_PUBKEY|not signed/);
    rmSync(root, { recursive: true, force: true });
    const made = await run('mmdebstrap', ...mode, 'stable', root, source(key));
    assert.equal(made.code, 0, made.output);
    const { output } = await chroot('dpkg', '--get-selections');
    const ours = new Set(readdirSync(join(testCache(), 'essential/debs')).map(name => name.split('_')[0]));
    const there = output.trim().split('\n');
    for (const line of there) assert.ok(ours.has(line.split(/[:\s]/)[0]), `${line} is not ours`);
    assert.ok(there.length > 50, output);
    assert.equal((await chroot('dpkg', '--audit')).output, '');
  });

  test('installs, upgrades and goes back with the registry', async () => {
    mkdirSync(join(root, 'etc/apt/keyrings'), { recursive: true });
    writeFileSync(join(root, 'etc/apt/keyrings/site.asc'), readFileSync(key));
    writeFileSync(join(root, 'etc/apt/sources.list'), `${source('/etc/apt/keyrings/site.asc')}\n`);
    await publish('1-1');
    for (const version of ['1-1', '2-1']) {
      if (version !== '1-1') {
        await site.finish(await site.registry.createSnapshot({ place: DEB, name: 'one' }));
        await publish(version);
      }
      const updated = await apt('update');
      assert.deepEqual([updated.code, updated.output.match(/^[WE]:.*/gm)], [0, null], updated.output);
      const done = await apt(...(version === '1-1' ? ['install', 'site-tool'] : ['upgrade']));
      assert.equal(done.code, 0, done.output);
      assert.equal(await installed(), version);
      assert.equal(readFileSync(join(root, 'usr/share/site-tool/version'), 'utf8'), version);
    }
    await site.finish(await site.registry.rollBack({ place: DEB, to: 'one' }));
    await apt('update');
    const kept = await apt('dist-upgrade');
    assert.equal(kept.code, 0, kept.output);
    assert.equal(await installed(), '2-1', 'apt went back by itself');
    const refused = await apt('install', 'site-tool=1-1');
    assert.match(refused.output, /Packages were downgraded and -y was used without --allow-downgrades/);
    const back = await apt('--allow-downgrades', 'install', 'site-tool=1-1');
    assert.equal(back.code, 0, back.output);
    assert.equal(await installed(), '1-1');
  });

  test('refuses a package that is not what was signed, and a registry that another key signed', async () => {
    await publish('3-1');
    const pool = join(site.home, 'lib/registry/site/deb/pool/main/s/site-tool');
    const path = join(pool, 'site-tool_3-1_all.deb');
    const bytes = readFileSync(path);
    const changed = Buffer.from(bytes);
    changed[changed.length - 5] = (changed[changed.length - 5] ?? 0) ^ 1;
    rmSync(path);
    writeFileSync(path, changed);
    await apt('update');
    const refused = await apt('upgrade');
    assert.notEqual(refused.code, 0);
    assert.match(refused.output, /Hash Sum mismatch/);
    assert.equal(await installed(), '1-1');
    rmSync(path);
    writeFileSync(path, bytes);
    await apt('clean');

    const other = readFileSync('/usr/share/keyrings/debian-archive-keyring.gpg');
    writeFileSync(join(root, 'etc/apt/keyrings/other.gpg'), other);
    writeFileSync(join(root, 'etc/apt/sources.list'), `${source('/etc/apt/keyrings/other.gpg')}\n`);
    // Of what it had taken before, apt would only warn.
    rmSync(join(root, 'var/lib/apt/lists'), { recursive: true });
    const foreign = await apt('update');
    assert.notEqual(foreign.code, 0);
    assert.match(foreign.output, /NO_PUBKEY|not signed/);
  });
});
