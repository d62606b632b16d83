/** The existing command line goes on working: its calls, as the specification has them, against the real pair. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ClientError, FatbuildrClient } from '../support/fatbuildr-client.ts';
import { greeterParts, type RestPair, startRestPair } from '../support/rest-pair.ts';

let rest: RestPair;
let client: FatbuildrClient;
let task = '';

before(
  async () => {
    rest = await startRestPair();
    // Users type addresses with a slash at the end, and the client adds its own.
    client = new FatbuildrClient(`${rest.url}/default/`, rest.builder);
  },
  { timeout: 120_000 },
);
after(async () => rest?.stop());

describe('fatbuildrctl 2.1 over HTTP', { timeout: 600_000 }, () => {
  it('finds the format of a distribution, the distributions of a format, and the architectures', async () => {
    assert.equal(await client.formatOf(rest.pair.distribution), 'deb');
    assert.deepEqual(await client.distributionsOf('deb'), [rest.pair.distribution]);
    assert.ok((await client.architectures()).length > 0);
  });

  it('lists nothing when nothing runs or waits', async () => {
    assert.deepEqual(await client.list(), { running: null, pending: [] });
  });

  it('is told in words what it may not do and what is not there', async () => {
    const anonymous = new FatbuildrClient(`${rest.url}/default`, null);
    await assert.rejects(() => anonymous.build(greeterParts(rest)), ClientError);
    await assert.rejects(() => client.task('5d0c1111-1111-4111-8111-111111111111'), ClientError);
    await assert.rejects(() => new FatbuildrClient(`${rest.url}/nope`, null).list(), ClientError);
    await assert.rejects(() => client.artifacts(rest.pair.distribution, 'nope'), ClientError);
    await assert.rejects(() => client.build(greeterParts(rest, { message: '' })), ClientError);
    await assert.rejects(() => client.build(greeterParts(rest, { derivative: 'nope' })), ClientError);
  });

  it('builds: submits, polls while pending, watches to the end, and lists meanwhile', async () => {
    task = await client.build(greeterParts(rest));
    assert.match(task, /^[0-9a-f-]{36}$/);
    let ended = false;
    const watched = client.watch(task).finally(() => {
      ended = true;
    });
    while (!ended) {
      // Read at every moment of the build: prerequisites run and wait beside it.
      await client.list();
      const shown = await client.task(task);
      if (shown.state !== 'finished') assert.equal(shown.result, 'unknown');
      await new Promise(resolve => setTimeout(resolve, 200));
    }
    const { log, output, end } = await watched;
    assert.equal(end, 'Task succeeded', log.join('\n'));
    assert.match(output, /dpkg|dh_/);
    const shown = await client.task(task);
    assert.equal(shown.state, 'finished');
    assert.equal(shown.result, 'success');
    assert.equal(shown.user, 'jane');
    assert.equal(shown.author, 'Jane Roe');
  });

  it('watches an archived task to the same end', async () => {
    assert.equal((await client.watch(task)).end, 'Task succeeded');
  });

  it('lists what was published', async () => {
    const names = (await client.artifacts(rest.pair.distribution, 'main')).map(
      ({ name, architecture }) => `${String(name)} ${String(architecture)}`,
    );
    assert.ok(names.includes('greeter src'), names.join());
    assert.ok(names.includes('greeter-phrases noarch'), names.join());
  });

  it('gets a plain 404 for the placeholders it sends on deletion', async () => {
    await assert.rejects(() => client.deleteAsItDoes('deb', rest.pair.distribution, 'main'), ClientError);
  });

  it('sees a failed build fail, with the reason before its end words', async () => {
    const id = await client.build(greeterParts(rest, { artifact: 'other' }));
    const { end, log } = await client.watch(id);
    assert.match(end, /^Task failed/);
    assert.ok(log.length > 1);
    assert.equal((await client.task(id)).result, 'failed');
  });
});
