/** Apt registries that are looked after while nobody publishes: packed by xz, and signed anew before they end. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DEB, RegistryPair } from '../support/registry-pair.ts';

/** Asks again until there is an answer. */
async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** Runs apt-get update; answers what it fetched, warnings and errors. */
async function update(site: RegistryPair, path = '', options: readonly string[] = []) {
  const apt = await site.openApt(path, ['Debug::Acquire::http=true', ...options]);
  const { code, output } = await apt.run('apt-get', 'update');
  apt.close();
  const asked = [...output.matchAll(/^GET \S*\/dists\/stable\/(\S+) HTTP/gm)].map(match => match[1] ?? '');
  return { code, output, asked, complaints: output.match(/^[WE]: .*$/gm) ?? [] };
}

const XZ = ['Acquire::CompressionTypes::Order::=xz', 'Acquire::Languages=none'];

describe('an apt registry that is packed once it is quiet', () => {
  let site: RegistryPair;
  before(async () => {
    site = await RegistryPair.open('[format:deb]\nxz_after = 1\n');
  });
  after(() => site.close());

  /** Waits until Release lists the packed index; answers its digest. */
  const packed = (): Promise<string> =>
    until(
      async () =>
        / ([0-9a-f]{64}) +\d+ main\/binary-amd64\/Packages\.xz$/m.exec(await site.release())?.[1] ?? null,
    );

  test('is offered as xz, which apt takes by content and by name', async () => {
    await site.importDeb('hello', '1-1');
    const sha256 = await packed();
    const byHash = await update(site, '', XZ);
    assert.deepEqual([byHash.code, byHash.complaints], [0, []], byHash.output);
    assert.ok(byHash.asked.includes(`main/binary-amd64/by-hash/SHA256/${sha256}`), byHash.asked.join());
    const byName = await update(site, '', [...XZ, 'Acquire::By-Hash=no']);
    assert.deepEqual([byName.code, byName.complaints], [0, []], byName.output);
    assert.ok(byName.asked.includes('main/binary-amd64/Packages.xz'), byName.asked.join());
    await site.finish(await site.registry.verifyRegistry({ place: DEB }));
  });

  test('lists no stale xz after a publication, and a new one when it is quiet again', async () => {
    const before_ = await packed();
    await site.importDeb('hello', '2-1');
    const release = await site.release();
    assert.ok(!release.includes(before_));
    const apt = await site.openApt('', XZ);
    for (const _ of ['before', 'after']) {
      const { code, output } = await apt.run('apt-get', 'update');
      assert.equal(code, 0, output);
      assert.match((await apt.run('apt-cache', 'policy', 'hello')).output, /Candidate: 2-1/);
      assert.notEqual(await packed(), before_);
    }
    apt.close();
    await site.finish(await site.registry.verifyRegistry({ place: DEB }));
  });

  test('keeps the xz of what does not change, and leaves no task behind that does nothing', async () => {
    const sha256 = await packed();
    await site.importDeb('hello', '2-1');
    assert.equal(await packed(), sha256);
    const refreshes = () => site.tasks.listTasks({ instance: 'site', name: 'registry refresh' });
    // What it packed is served a moment before it ends.
    for (const { id } of (await refreshes()).tasks) await site.finish({ task: id });
    const { tasks } = await refreshes();
    assert.deepEqual(
      tasks.map(({ result, user }) => `${result} ${user}`),
      Array(2).fill('TASK_RESULT_SUCCESS rackwright'),
    );
  });
});

describe('an apt registry whose Release files end', () => {
  let site: RegistryPair;
  before(async () => {
    site = await RegistryPair.open('[format:deb]\nvalid_for = 30s\nxz_after = 0\n');
  });
  after(() => site.close());

  /** When the Release that is served was signed and when it ends, milliseconds since the epoch. */
  const served = async (): Promise<{ signed: number; end: number }> => {
    const release = await site.release();
    const of = (field: string): number =>
      Date.parse(new RegExp(`^${field}: (.+)$`, 'm').exec(release)?.[1] ?? '');
    return { signed: of('Date'), end: of('Valid-Until') };
  };
  const next = (after: number) => until(async () => served().then(now => (now.end > after ? now : null)));

  test('is signed anew at the start after a long sleep, and before it ends, with nobody publishing', async () => {
    await site.importDeb('hello', '1-1');
    await site.finish(await site.registry.createSnapshot({ place: DEB, name: 'old' }));
    const valid = await update(site);
    assert.deepEqual([valid.code, valid.complaints], [0, []], valid.output);
    const first = await served();
    await site.stop();
    await until(async () => (Date.now() > first.end + 1000 ? true : null));
    await site.start();
    const second = await next(first.end);
    assert.ok(second.end > Date.now());
    // Looked for from here on: none that comes meanwhile is missed.
    const renewal = next(second.end);
    const renewed = await update(site);
    assert.deepEqual([renewed.code, renewed.complaints], [0, []], renewed.output);
    // What was never signed again is refused: a snapshot keeps the Release that it was made with.
    const ended = await update(site, '/snapshots/old');
    assert.notEqual(ended.code, 0, ended.output);
    assert.match(ended.output, /Release file .* is expired/);
    const third = await renewal;
    assert.ok(third.signed < second.end, 'it was signed anew too late');
    assert.ok(third.end - second.end >= 15_000, `${third.end - second.end}`);
    const again = await update(site);
    assert.deepEqual([again.code, again.complaints], [0, []], again.output);
    await site.finish(await site.registry.verifyRegistry({ place: DEB }));
  });
});
