/** Real Debian source packages, repackaged as definitions, through REST to packages that the real apt installs. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { COMMAND, FrameReader } from '../../proto/frame.ts';
import { type AptRoot, openAptRoot } from '../support/apt-root.ts';
import { buildForm } from '../support/build-form.ts';
import { debianSample } from '../support/definitions.ts';
import { testCache } from '../support/environment.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { scaled } from '../support/scale.ts';

/** Small ones of different build systems: make, autotools, cmake, meson, perl, python, scripts. */
const PACKAGES = [
  ...[
    'sl',
    'libtry-tiny-perl',
    'pwgen',
    'tinyxml2',
    'libslirp',
    'figlet',
    'tree',
    'dos2unix',
    'cjson',
    'libjson-perl',
  ],
  ...['bc', 'less', 'libyaml', 'pv', 'boxes', 'fdupes', 'moreutils', 'cowsay', 'toolz', 'hello'],
];
const POLICY =
  '[roles]\nanonymous\n[anonymous]\nactions=view-pipeline,view-registry,view-task,view-keyring,build\n';

interface Entry {
  readonly name: string;
  readonly architecture: string;
  readonly version: string;
}

// As many at once as a small machine's daemon builds.
describe('twenty real packages', { concurrency: 2 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'rackwright-twenty-'));
  let pair: Pair;
  let client: AptRoot | undefined;

  before(async () => {
    mkdirSync(join(home, 'etc'));
    writeFileSync(join(home, 'etc/policy.ini'), POLICY);
    writeFileSync(join(home, 'etc/rackwright.ini'), `[dirs]\ncache = ${join(testCache(), 'journey')}\n`);
    pair = await startPair({ home });
  });
  after(async () => {
    await client?.close();
    await pair?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const url = (path: string): string => `${pair.url}/default/${path}`;
  /** The packages that the published source package of an artifact became. */
  const binaries = async (name: string): Promise<Entry[]> => {
    const answer = await fetch(url(`registry/deb/${pair.distribution}/main/src/${name}.json`));
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { binaries: Entry[] }).binaries;
  };
  /** Installations share one root: they wait for each other. */
  let installing: Promise<void> = Promise.resolve();

  async function submit(name: string): Promise<string> {
    const sample = debianSample(home, name);
    const { distribution } = pair;
    const form = await buildForm(sample, { distribution, folder: home, message: `Rebuild of ${name}` });
    const answer = await fetch(url('build'), { method: 'POST', body: form });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { task: string }).task;
  }

  /** The journal's text, once the task has ended. */
  async function journal(task: string): Promise<string> {
    const answer = await fetch(url(`watch/${task}.journal`));
    const bytes = Buffer.from(await answer.arrayBuffer());
    return [...new FrameReader().push(bytes)]
      .filter(frame => frame.command === COMMAND.bytes || frame.command === COMMAND.log)
      .map(frame => frame.payload.toString('utf8') + (frame.command === COMMAND.log ? '\n' : ''))
      .join('');
  }

  async function install(name: string, made: readonly Entry[]): Promise<void> {
    if (!client) {
      client = await openAptRoot(pair.environmentRoot());
      const key = await (await fetch(url('keyring.asc'))).text();
      const line = `deb [signed-by=/etc/apt/keyrings/rackwright.asc] ${url('deb')} ${pair.distribution} main`;
      const { code, output } = await client.run(
        `mkdir -p /etc/apt/keyrings\ncat >/etc/apt/keyrings/rackwright.asc <<'KEY'\n${key}KEY\necho '${line}' >/etc/apt/sources.list.d/ours.list`,
      );
      assert.equal(code, 0, output);
    }
    const wanted = made.filter(entry => !entry.name.endsWith('-dbgsym'));
    assert.notEqual(wanted.length, 0, JSON.stringify(made));
    const words = wanted.map(entry => `${entry.name}=${entry.version}`).join(' ');
    const { code, output } = await client.run(
      `apt-get -qq update\napt-get -qq install -y --no-install-recommends ${words}\ndpkg-query -W ${wanted.map(entry => entry.name).join(' ')}`,
    );
    assert.equal(code, 0, `${name}: ${output}`);
    for (const entry of wanted)
      assert.match(output, new RegExp(`^${entry.name.replaceAll('+', '\\+')}(:\\w+)?\\t`, 'm'));
  }

  for (const name of PACKAGES.slice(0, scaled(PACKAGES.length, 0.1))) {
    test(`${name} builds, is published, and installs`, async () => {
      const text = await journal(await submit(name));
      assert.match(text, /20:Task succeeded\n$/, text.slice(-4000));
      const made = await binaries(name);
      const mine = installing.then(() => install(name, made));
      installing = mine.catch(() => undefined);
      await mine;
    });
  }
});
