/** Every row of the documented table against the running pair: first over an empty home, then with a build published. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FrameReader } from '../../proto/frame.ts';
import { VERSION } from '../../proto/words.ts';
import { ClientError, FatbuildrClient } from '../support/fatbuildr-client.ts';
import { greeterParts, type RestPair, startRestPair, submit } from '../support/rest-pair.ts';

let rest: RestPair;
let dist: string;
/** Every status that was answered: input never causes a 500. */
const statuses = new Set<number>();

before(
  async () => {
    rest = await startRestPair();
    dist = rest.pair.distribution;
  },
  { timeout: 120_000 },
);
after(async () => rest?.stop());

interface Got {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly headers: Headers;
}

async function call(path: string, init: RequestInit = {}): Promise<Got> {
  const answer = await fetch(rest.url + path, { redirect: 'manual', ...init });
  statuses.add(answer.status);
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text: await answer.text(),
    headers: answer.headers,
  };
}

function as(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** 200 with canonical JSON; the value. */
async function json(path: string, init: RequestInit = {}): Promise<unknown> {
  const { status, type, text } = await call(path, init);
  assert.equal(status, 200, `${path} ${text}`);
  assert.equal(type, 'application/json');
  assert.match(text, /^[\x20-\x7e]*\n$/, 'one line of ASCII');
  return JSON.parse(text);
}

async function refused(status: 403 | 404, path: string, init: RequestInit = {}): Promise<void> {
  const got = await call(path, init);
  assert.equal(got.status, status, `${path} ${got.text}`);
  assert.equal(got.type, 'application/json', path);
  assert.equal(typeof JSON.parse(got.text).error, 'string', path);
}

async function badRequest(path: string, init: RequestInit = {}): Promise<void> {
  const got = await call(path, init);
  assert.equal(got.status, 400, `${path} ${got.text}`);
  assert.equal(got.type, 'text/html; charset=utf-8', path);
}

const NO_TASK = '5d0c1111-1111-4111-8111-111111111111';

describe('an empty home', () => {
  it('1, 2, 3: version, instances, instance', async () => {
    const version = await call('/version');
    assert.equal(version.text, `Rackwright v${VERSION}`);
    assert.equal(version.type, 'text/plain; charset=utf-8');
    const [instance] = (await json('/instances.json')) as { id: string; name: string; userid: string }[];
    assert.equal(instance?.id, 'default');
    assert.match(instance?.userid ?? '', /^.+ <.+@.+>$/);
    assert.deepEqual(await json('/default/instance.json'), instance);
    await refused(404, '/nope/instance.json');
  });

  it('4, 5: architectures and formats of the pipelines', async () => {
    const [first] = (await json('/default/pipelines/architectures.json')) as string[];
    assert.equal(first, process.arch === 'arm64' ? 'aarch64' : 'x86_64');
    const formats = await json('/default/pipelines/formats.json');
    assert.deepEqual(formats, { deb: [{ derivatives: ['main'], distribution: dist, environment: dist }] });
    assert.deepEqual(
      await json(`/default/pipelines/formats.json?distribution=${dist}&derivative=main`),
      formats,
    );
    assert.deepEqual(await json('/default/pipelines/formats.json?environment=nope'), {});
    await refused(404, '/default/pipelines/formats.json?derivative=nope');
  });

  it('6 to 9: an empty registry', async () => {
    assert.deepEqual(await json('/default/registry.json'), []);
    assert.deepEqual(await json('/default/registry/deb.json'), []);
    await refused(404, '/default/registry/nope.json');
    await refused(404, `/default/registry/deb/${dist}.json`);
    await refused(404, `/default/registry/deb/${dist}/main.json`);
    await refused(404, `/default/registry/deb/${dist}/main/x86_64/hello.json`);
  });

  it('11, 12: deletion and search of nothing', async () => {
    const path = `/default/registry/deb/${dist}/main/x86_64/hello.json`;
    await refused(403, `${path}?version=1`, { method: 'DELETE' });
    await refused(404, `${path}?version=1`, { method: 'DELETE', ...as(rest.builder) });
    await badRequest(path, { method: 'DELETE', ...as(rest.builder) });
    assert.deepEqual(await json('/default/search.json?artifact=x'), {});
    await badRequest('/default/search.json');
    await badRequest('/default/search.json?artifact=');
  });

  it('14, 15, 16, 17: no tasks', async () => {
    assert.equal(await json('/default/running.json'), null);
    assert.deepEqual(await json('/default/queue.json'), []);
    for (const id of [NO_TASK, NO_TASK.toUpperCase(), '1']) {
      await refused(404, `/default/tasks/${id}.json`);
      await refused(404, `/default/watch/${id}.journal`);
    }
  });

  it('18: no keyring yet', () => refused(404, '/default/keyring.asc'));

  it('13: submissions that can not become a build are refused, each with its status', async () => {
    const status = async (changes: Record<string, string>, token = rest.builder) =>
      (await submit(rest, greeterParts(rest, changes), { authorization: `Bearer ${token}` })).status;
    assert.equal(await status({ format: 'nope' }), 404);
    assert.equal(await status({ distribution: 'nope' }), 404);
    assert.equal(await status({ derivative: 'nope' }), 404);
    assert.equal(await status({ architectures: 'vax' }), 404);
    assert.equal(await status({ architectures: 'x86_64,,aarch64' }), 400);
    assert.equal(await status({ artifact: '../x' }), 400);
    assert.equal(await status({ user_email: '' }), 400);
    assert.equal(await status({ message: 'x'.repeat(70_000) }), 413);
    assert.equal(await status({}, 'a.b.c'), 403);
    assert.deepEqual(await json('/default/queue.json'), []);
  });

  it('refuses tokens that are garbage, of Basic, or forged, with 403', async () => {
    const [head, , signature] = rest.builder.split('.');
    const forged = Buffer.from('{"sub":"root","aud":"rackwright","iat":1,"exp":9999999999}').toString(
      'base64url',
    );
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${forged}.`;
    for (const token of ['x', `${head}.${forged}.${signature}`, none])
      await refused(403, '/default/registry.json', as(token));
    await refused(403, '/default/registry.json', { headers: { authorization: 'Basic Zm9vOmJhcg==' } });
  });

  it('lets each role do what the policy says', async () => {
    await refused(403, '/default/tokens.json');
    await refused(403, '/default/tokens.json', as(rest.builder));
    assert.equal(((await json('/default/tokens.json', as(rest.admin))) as unknown[]).length, 2);
    const me = (await json('/default/whoami.json', as(rest.builder))) as { login: string; actions: string[] };
    assert.equal(me.login, 'jane');
    assert.ok(me.actions.includes('build') && me.actions.includes('view-registry'));
  });
});

describe('a build', { timeout: 600_000 }, () => {
  let task = '';
  let sources: { architecture: string; name: string; version: string; size: number }[] = [];

  it('13: is accepted, and the same Idempotency-Key answers the same task', async () => {
    const parts = greeterParts(rest);
    const first = await submit(rest, parts, { 'idempotency-key': 'one' });
    const text = await first.text();
    assert.equal(first.status, 200, text);
    assert.equal(first.headers.get('content-type'), 'application/json');
    assert.match(text, /^\{"task":"[0-9a-f-]{36}"\}\n$/);
    task = JSON.parse(text).task;
    const again = await submit(rest, parts, { 'idempotency-key': 'one' });
    assert.equal(await again.text(), text);
    const other = await submit(rest, greeterParts(rest, { message: 'Other' }), { 'idempotency-key': 'one' });
    assert.equal(other.status, 409);
    assert.equal(other.headers.get('content-type'), 'text/html; charset=utf-8');
  });

  it('16, 17: is found at every moment and followed to its end frame', async () => {
    const got = await fetch(`${rest.url}/default/watch/${task}.journal`);
    assert.equal(got.headers.get('content-type'), 'application/octet-stream');
    assert.equal(got.headers.get('x-accel-buffering'), 'no');
    const shown = (await json(`/default/tasks/${task}.json`)) as { state: string; place: string };
    assert.match(shown.state, /^(pending|running)$/);
    assert.match(shown.place, /^\//);
    const reader = new FrameReader();
    const texts = [...reader.push(new Uint8Array(await got.arrayBuffer()))].map(frame =>
      frame.payload.toString(),
    );
    assert.equal(texts.at(-1), '20:Task succeeded', texts.slice(-5).join('\n'));
    assert.equal(reader.pending, 0);
    const stored = await fetch(`${rest.url}/default/watch/${task}.journal`);
    const frames = [...new FrameReader().push(new Uint8Array(await stored.arrayBuffer()))];
    // Heartbeats are on the wire only, never in the file.
    assert.deepEqual(
      frames.map(frame => frame.payload.toString()),
      texts.filter(text => text !== ''),
    );
  });

  it('16: is archived with its true result and times', async () => {
    const shown = (await json(`/default/tasks/${task}.json`)) as Record<string, unknown>;
    assert.equal(shown.state, 'finished');
    assert.equal(shown.result, 'success');
    assert.equal(shown.user, 'jane');
    assert.ok(Number.isInteger(shown.submission));
    assert.ok(
      Number(shown.started) >= Number(shown.submission) && Number(shown.ended) >= Number(shown.started),
    );
    assert.ok(
      (shown.archives as object[]).every(archive => Object.keys(archive).sort().join() === 'id,path'),
    );
    const history = (await json('/default/history.json')) as { id: string }[];
    assert.ok(history.some(known => known.id === task));
  });

  it('6 to 9: stands in the registry, sorted, source and binaries', async () => {
    assert.deepEqual(await json('/default/registry.json'), ['deb']);
    assert.deepEqual(await json('/default/registry/deb.json'), [dist]);
    assert.deepEqual(await json(`/default/registry/deb/${dist}.json`), ['main']);
    sources = (await json(`/default/registry/deb/${dist}/main.json`)) as typeof sources;
    const names = sources.map(artifact => `${artifact.name} ${artifact.architecture}`);
    assert.deepEqual(names, [...names].sort());
    assert.ok(names.includes('greeter src') && names.includes('greeter-phrases noarch'));
    assert.equal(sources.find(artifact => artifact.architecture === 'src')?.size, 0);
    await refused(404, `/default/registry/deb/${dist}/nope.json`);
  });

  it('10: is described whole', async () => {
    const path = `/default/registry/deb/${dist}/main`;
    const binary = (await json(`${path}/noarch/greeter-phrases.json`)) as Record<string, unknown>;
    assert.equal(binary.name, 'greeter-phrases');
    assert.equal(binary.artifact, 'greeter-phrases');
    assert.equal((binary.source as { name: string }).name, 'greeter');
    assert.equal(binary.binaries, undefined);
    const [entry] = binary.changelog as { author: string; changes: string[]; version: string }[];
    assert.equal(entry?.author, 'Jane Roe <jane@example.org>');
    assert.equal(entry?.changes[0], 'First build');
    assert.match(entry?.changes[1] ?? '', new RegExp(`^Rackwright task ${task}@`));
    const content = binary.content as { path: string; type: string; size: number }[];
    assert.ok(content.every(file => file.path.startsWith('/') && /^[fdlcbps]$/.test(file.type)));
    assert.ok(content.some(file => file.type === 'f' && file.size > 0));
    const source = (await json(`${path}/src/greeter.json`)) as Record<string, unknown>;
    assert.equal(source.source, undefined);
    assert.ok((source.binaries as { name: string }[]).some(known => known.name === 'greeter-phrases'));
    await refused(404, `${path}/src/greeter-phrases.json`);
  });

  it('12: is found by a part of its name', async () => {
    const found = (await json('/default/search.json?artifact=eter-phr')) as Record<
      string,
      Record<string, Record<string, unknown[]>>
    >;
    assert.equal(found.deb?.[dist]?.main?.length, 1);
    assert.deepEqual(await json('/default/search.json?artifact=GREETER'), {});
    assert.deepEqual(await json('/default/search.json?artifact=.*'), {});
  });

  it('18: gives the armored public key', async () => {
    const key = await call('/default/keyring.asc');
    assert.equal(key.type, 'text/plain; charset=utf-8');
    assert.match(key.text, /^-----BEGIN PGP PUBLIC KEY BLOCK-----/);
    assert.equal(key.headers.get('content-disposition'), 'attachment; filename=keyring.asc');
  });

  it('is served as files: signed entry, indexes without content encoding, the package itself', async () => {
    const entry = await call(`/default/deb/dists/${dist}/InRelease`);
    assert.equal(entry.status, 200);
    assert.match(entry.text, /BEGIN PGP SIGNED MESSAGE/);
    assert.doesNotMatch(entry.text, /^Suite:/m);
    const tag = entry.headers.get('etag') ?? '';
    assert.equal(
      (await call(`/default/deb/dists/${dist}/InRelease`, { headers: { 'if-none-match': tag } })).status,
      304,
    );
    const index = await fetch(`${rest.url}/default/deb/dists/${dist}/main/source/Sources.gz`);
    assert.equal(index.headers.get('content-type'), 'application/gzip');
    assert.equal(index.headers.get('content-encoding'), null);
    const listing = await call('/default/deb/pool/main/g/greeter/');
    const file = /greeter-phrases_[^"/]*_all\.deb/.exec(listing.text)?.[0];
    assert.ok(file, listing.text);
    const head = await call(`/default/deb/pool/main/g/greeter/${file}`, { method: 'HEAD' });
    assert.equal(head.type, 'application/vnd.debian.binary-package');
    for (const path of ['../state', '%2e%2e/state', '..%2f..%2f..%2fstate.db'])
      await refused(404, `/default/deb/${path}/x`);
  });

  it('11: is deleted exactly as named, and nothing beside it', async () => {
    const phrases = sources.find(artifact => artifact.name === 'greeter-phrases');
    const path = `/default/registry/deb/${dist}/main/noarch/greeter-phrases.json`;
    await refused(404, `${path}?version=0`, { method: 'DELETE', ...as(rest.builder) });
    const { task: deletion } = (await json(`${path}?version=${phrases?.version}`, {
      method: 'DELETE',
      ...as(rest.builder),
    })) as { task: string };
    const client = new FatbuildrClient(`${rest.url}/default`, null);
    assert.equal((await client.watch(deletion, 100)).end, 'Task succeeded');
    const shown = await client.task(deletion);
    assert.equal(shown.name, 'artifact deletion');
    assert.deepEqual(shown.artifact, phrases);
    await refused(404, path);
    const left = (await json(`/default/registry/deb/${dist}/main.json`)) as {
      name: string;
      architecture: string;
    }[];
    assert.deepEqual(
      left.map(({ name, architecture }) => `${name} ${architecture}`),
      sources
        .filter(artifact => artifact !== phrases)
        .map(({ name, architecture }) => `${name} ${architecture}`),
    );
    await assert.rejects(() => client.deleteAsItDoes('deb', dist, 'main'), ClientError);
  });

  it('is retried as a new task, and cancelled while it waits or runs', async () => {
    const post = (path: string) => json(`/default/${path}`, { method: 'POST', ...as(rest.builder) });
    const { task: again } = (await post(`tasks/${task}/retry`)) as { task: string };
    assert.notEqual(again, task);
    await post(`tasks/${again}/cancel`);
    const client = new FatbuildrClient(`${rest.url}/default`, null);
    assert.match((await client.watch(again, 100)).end, /^Task failed: cancelled by jane/);
    const shown = await client.task(again);
    assert.equal(shown.result, 'cancelled');
    const twice = await call(`/default/tasks/${again}/cancel`, { method: 'POST', ...as(rest.builder) });
    assert.equal(twice.status, 409);
    assert.equal(twice.type, 'application/problem+json');
  });

  it('revokes a token at once for everything the daemon is asked', async () => {
    const { token, issued } = (await json('/default/tokens?subject=root&days=1', {
      method: 'POST',
      ...as(rest.admin),
    })) as {
      token: string;
      issued: { jti: string };
    };
    await json('/default/tokens.json', as(token));
    await json(`/default/tokens/${issued.jti}`, { method: 'DELETE', ...as(rest.admin) });
    await refused(403, '/default/tokens.json', as(token));
  });
});

describe('the whole table', () => {
  it('answers HEAD and OPTIONS, and 405 with Allow for other methods', async () => {
    for (const path of [
      '/version',
      '/instances.json',
      '/default/registry.json',
      `/default/registry/deb/${dist}/main.json`,
      '/default/keyring.asc',
    ]) {
      assert.equal((await call(path, { method: 'HEAD' })).status, 200, path);
      assert.equal((await call(path, { method: 'OPTIONS' })).headers.get('allow'), 'GET, HEAD, OPTIONS');
      assert.equal((await call(path, { method: 'PATCH' })).status, 405);
    }
  });

  it('never answered 500', () =>
    assert.ok(![...statuses].some(status => status === 500), [...statuses].join()));

  it('lost nothing in the log that would be a bug', () => {
    writeFileSync(join(rest.home, 'pair.log'), rest.pair.log());
    assert.doesNotMatch(rest.pair.log(), /ERROR/);
  });
});
