/** The registries behind a plain web server, set up as the documentation's example says: by the real clients. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BuildSpec } from '../../../workers/job.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { publishOsi } from '../../../workers/registry/osi-publish.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { openAptClient } from '../../support/apt-client.ts';
import { makeDeb } from '../../support/debs.ts';
import { openDnf } from '../../support/dnf-client.ts';
import { type Nginx, runNginx } from '../../support/nginx.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { makeRpm } from '../../support/rpms.ts';
import { freePort } from '../../support/until.ts';

const EXAMPLE = new URL('../../../docs/examples/registry/nginx.conf', import.meta.url);

describe('a plain web server over the registries', async () => {
  const registry = openRegistry({
    pipelines: [
      {},
      { format: 'rpm', distribution: 'el9', tag: 'el9' },
      { format: 'osi', distribution: 'ci', environment: null },
    ],
    keyring: { type: 'rsa', size: 2048 },
  });
  const keyring = join(registry.settings.dirs.keyring, 'default');
  let nginx: Nginx;
  let url = '';
  const specOf = (format: string, distribution: string): BuildSpec =>
    ({ type: 'build', format, distribution, derivative: 'main' }) as BuildSpec;
  const publishHello = async (version: string): Promise<void> => {
    const deb = specOf('deb', 'bookworm');
    const files = [makeDeb(registry.home, { name: 'hello', version, architecture: 'amd64' })];
    await publishDeb(registry.context(deb), { artifact: 'hello', version, files }, deb);
  };
  before(async () => {
    await makeKeyring(registry);
    await publishHello('1-1');
    const rpm = specOf('rpm', 'el9');
    const rpms = makeRpm(registry.home, { name: 'hello', version: '1' });
    await publishRpm(registry.context(rpm), { artifact: 'hello', version: '1', files: rpms }, rpm);
    const osi = specOf('osi', 'ci');
    const image = join(registry.home, 'node_1.0.tar');
    writeFileSync(image, 'an image');
    await publishOsi(registry.context(osi), { artifact: 'node', version: '1.0', files: [image] }, osi);
    const port = await freePort();
    const example = readFileSync(EXAMPLE, 'utf8')
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('/var/lib/rackwright/registry', registry.settings.dirs.registry);
    nginx = await runNginx(port, example);
    url = `http://127.0.0.1:${port}/default`;
  });
  after(async () => {
    await nginx?.close();
    registry.close();
  });

  test('gives apt its packages, before and after a publication', async () => {
    const apt = openAptClient(`deb [signed-by=${keyring}/public.gpg] ${url}/deb bookworm main`);
    for (const version of ['1-1', '1-2']) {
      if (version !== '1-1') await publishHello(version);
      const update = await apt.run('apt-get', 'update');
      assert.equal(update.code, 0, update.output);
      assert.doesNotMatch(update.output, /^[WE]:/m);
      const download = await apt.run('apt-get', 'download', `hello=${version}`);
      assert.equal(download.code, 0, download.output);
    }
    apt.close();
  });

  test('can tell publications apart that follow each other within a second', async () => {
    const modified = async (): Promise<number> => {
      const answer = await fetch(`${url}/deb/dists/bookworm/InRelease`, { method: 'HEAD' });
      return Date.parse(answer.headers.get('last-modified') ?? '');
    };
    const times: number[] = [];
    for (const version of ['1-3', '1-4', '1-5']) {
      await publishHello(version);
      times.push(await modified());
    }
    const [first = 0, second = 0, third = 0] = times;
    assert.ok(first < second && second < third, times.join(' '));
  });

  test('gives dnf its packages', async () => {
    const dnf = openDnf({ url: `${url}/rpm/el9/main/x86_64/`, key: join(keyring, 'public.asc') });
    const installed = await dnf.run('install', 'hello');
    assert.equal(installed.code, 0, installed.output);
    dnf.close();
  });

  test('gives images with a list that sha256sum and gpgv check', async () => {
    const folder = join(registry.home, 'fetched');
    mkdirSync(folder);
    for (const name of ['node_1.0.tar', 'SHA256SUMS', 'SHA256SUMS.gpg']) {
      const answer = await fetch(`${url}/osi/ci/main/${name}`);
      writeFileSync(join(folder, name), Buffer.from(await answer.arrayBuffer()));
    }
    const check = (file: string, ...words: string[]) =>
      execFileSync(file, words, { cwd: folder, stdio: 'pipe' });
    check('sha256sum', '--check', '--strict', 'SHA256SUMS');
    check('gpgv', '--keyring', join(keyring, 'public.gpg'), 'SHA256SUMS.gpg', 'SHA256SUMS');
  });

  test('lists folders, and keeps to itself what is none of its clients', async () => {
    const status = async (path: string): Promise<number> => (await fetch(url + path)).status;
    assert.match(await (await fetch(`${url}/deb/pool/main/h/hello/`)).text(), /hello_1-1_amd64\.deb/);
    assert.equal(await status('/deb/dists/bookworm/InRelease'), 200);
    assert.equal(await status('/state/deb/segments/'), 404);
    assert.equal(await status('/'), 404);
    writeFileSync(join(registry.tree('deb'), 'dists/.bookworm.next'), 'a moment');
    assert.equal(await status('/deb/dists/.bookworm.next'), 404);
    const packed = await fetch(`${url}/deb/dists/bookworm/main/binary-amd64/Packages.gz`);
    assert.equal(packed.headers.get('content-encoding'), null);
    assert.equal(packed.headers.get('cache-control'), 'no-cache');
  });
});
