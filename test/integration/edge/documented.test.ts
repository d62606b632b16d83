/** The documented table, row by row, against an edge with a scripted daemon: bodies, types and statuses. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { MAX_TOKEN_DAYS, VERSION } from '../../../proto/words.ts';
import { buildParts, postBuild, startTestEdge, type TestEdge } from '../../support/edge-home.ts';
import { scriptedTask } from '../../support/scripted-daemon.ts';

let edge: TestEdge;

before(async () => {
  edge = await startTestEdge();
  const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' };
  edge.world.artifacts.push(
    { ...place, architecture: 'src', name: 'hello', version: '2.10-1.deb12', size: 0 },
    { ...place, architecture: 'x86_64', name: 'hello', version: '2.10-1.deb12', size: 26 },
    { ...place, architecture: 'noarch', name: 'libg++', version: '1:1.0+b1', size: 7 },
    { ...place, distribution: 'book.worm', architecture: 'x86_64', name: 'dots', version: '1', size: 7 },
  );
});
after(async () => {
  assert.deepEqual(edge.bugs, []);
  await edge.stop();
});

async function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string | null; text: string; headers: Headers }> {
  const answer = await fetch(edge.url + path, { headers, redirect: 'manual' });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text: await answer.text(),
    headers: answer.headers,
  };
}

async function json(path: string, expected: string): Promise<void> {
  const answer = await get(path);
  assert.equal(answer.text, `${expected}\n`);
  assert.equal(answer.status, 200);
  assert.equal(answer.type, 'application/json');
  assert.equal(answer.headers.get('cache-control'), 'no-cache');
}

describe('the documented reads', () => {
  it('gives the version as plain text without a line feed', async () => {
    const answer = await get('/version');
    assert.equal(answer.text, `Rackwright v${VERSION}`);
    assert.equal(answer.type, 'text/plain; charset=utf-8');
  });

  it('lists instances', () =>
    json('/instances.json', '[{"id":"default","name":"Example","userid":"Ops <ops@example.org>"}]'));

  it('shows one instance', () =>
    json('/default/instance.json', '{"id":"default","name":"Example","userid":"Ops <ops@example.org>"}'));

  it("lists architectures, the host's first", () =>
    json('/default/pipelines/architectures.json', '["x86_64","aarch64"]'));

  it('lists pipelines by format, an environment of none as null', () =>
    json(
      '/default/pipelines/formats.json',
      '{"deb":[{"derivatives":["main","extra"],"distribution":"bookworm","environment":"bookworm"}],' +
        '"osi":[{"derivatives":["main"],"distribution":"ci","environment":null}]}',
    ));

  it('filters pipelines, the derivative selecting formats and leaving lists whole', async () => {
    await json(
      '/default/pipelines/formats.json?derivative=extra',
      '{"deb":[{"derivatives":["main","extra"],"distribution":"bookworm","environment":"bookworm"}]}',
    );
    await json('/default/pipelines/formats.json?format=rpm', '{}');
    await json('/default/pipelines/formats.json?distribution=ci&environment=bookworm', '{}');
    await json('/default/pipelines/formats.json?format=', '{}');
    assert.equal((await get('/default/pipelines/formats.json?derivative=nope')).status, 404);
  });

  it('walks the registry down to artifacts', async () => {
    await json('/default/registry.json', '["deb"]');
    await json('/default/registry/deb.json', '["book.worm","bookworm"]');
    await json('/default/registry/osi.json', '[]');
    await json('/default/registry/deb/bookworm.json', '["main"]');
    await json('/default/registry/deb/book.worm.json', '["main"]');
    await json(
      '/default/registry/deb/bookworm/main.json',
      '[{"architecture":"src","name":"hello","size":0,"version":"2.10-1.deb12"},' +
        '{"architecture":"x86_64","name":"hello","size":26,"version":"2.10-1.deb12"},' +
        '{"architecture":"noarch","name":"libg++","size":7,"version":"1:1.0+b1"}]',
    );
  });

  it('describes an artifact whole, with its name under both keys', () =>
    json(
      '/default/registry/deb/bookworm/main/x86_64/hello.json',
      '{"artifact":"hello","changelog":[{"author":"Jan\\u00e9 <jane@example.org>","changes":["First build"],"date":5,' +
        '"version":"1"}],"content":[{"path":"/usr/bin/hello","size":26,"type":"f"}],"name":"hello",' +
        '"source":{"architecture":"src","name":"hello","size":0,"version":"2.10-1.deb12"}}',
    ));

  it('gives a source its binaries and no source', async () => {
    const described = JSON.parse((await get('/default/registry/deb/bookworm/main/src/hello.json')).text);
    assert.deepEqual(Object.keys(described), ['artifact', 'binaries', 'changelog', 'content', 'name']);
  });

  it('searches by a part of the name, as nested maps', async () => {
    await json(
      '/default/search.json?artifact=lib',
      '{"deb":{"bookworm":{"main":[{"architecture":"noarch","name":"libg++","size":7,"version":"1:1.0+b1"}]}}}',
    );
    await json('/default/search.json?artifact=nothing', '{}');
  });

  it('takes a plus for a plus, encoded or not', async () => {
    const [plain, encoded] = await Promise.all([
      get('/default/search.json?artifact=g++'),
      get('/default/search.json?artifact=g%2B%2B'),
    ]);
    assert.equal(plain.text, encoded.text);
    assert.match(plain.text, /libg\+\+/);
    assert.equal((await get('/default/registry/deb/bookworm/main/noarch/libg++.json')).status, 200);
    assert.equal((await get('/default/registry/deb/bookworm/main/noarch/libg%2B%2B.json')).status, 200);
  });

  it('exports the public key as an attachment', async () => {
    const answer = await get('/default/keyring.asc');
    assert.equal(answer.text, edge.world.keyring);
    assert.equal(answer.type, 'text/plain; charset=utf-8');
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename=keyring.asc');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
  });

  it('answers 404 JSON for whatever is not there', async () => {
    for (const path of [
      '/nope/instance.json',
      '/default/registry/rpm.json',
      '/default/registry/deb/trixie.json',
      '/default/registry/deb/bookworm/extra.json',
      '/default/registry/deb/bookworm/main/x86_64/nope.json',
      '/default/registry/deb/bookworm/main/%7Bartifact.architecture%7D/hello.json',
      '/default/registry/.json',
      '/default/registry/deb/a%2Fb.json',
      '/default/no/such/rule',
      '/default/registry/deb/%zz.json',
      `/default/registry/deb/${'x'.repeat(500)}.json`,
    ]) {
      const answer = await get(path);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.type, 'application/json', path);
      assert.equal(typeof JSON.parse(answer.text).error, 'string', path);
    }
  });
});

describe('tasks', () => {
  it('shows no running task as null and an empty queue as a list', async () => {
    await json('/default/running.json', 'null');
    await json('/default/queue.json', '[]');
  });

  it('shows exactly the documented keys of a pending build', async () => {
    const id = '5d0c1111-1111-4111-8111-111111111111';
    edge.world.tasks = [scriptedTask({ id })];
    const shown =
      '{"architectures":["x86_64"],"archives":[],"artifact":"hello","author":"Jane Roe","derivative":"main",' +
      `"distribution":"bookworm","email":"jane@example.org","format":"deb","id":"${id}",` +
      '"io":{"console":"/run/c.sock","interactive":false,"journal":{"path":"/j/task.journal"}},' +
      `"message":"First build","name":"artifact build","place":"/var/lib/rackwright/workspaces/default/${id}",` +
      '"result":"unknown","state":"pending","submission":1767225600,"user":"jane"}';
    await json('/default/queue.json', `[${shown}]`);
    await json(`/default/tasks/${id}.json`, shown);
    await json(`/default/tasks/${id.toUpperCase()}.json`, shown);
  });

  it('never shows a final result with a state that is not', async () => {
    edge.world.tasks = [scriptedTask({ state: 'TASK_STATE_RUNNING', result: 'TASK_RESULT_SUCCESS' })];
    assert.match(
      (await get('/default/running.json')).text,
      /"result":"unknown","started"|"result":"unknown","state":"running"/,
    );
  });

  it('keeps task kinds that the existing client does not know out of the documented lists', async () => {
    const own = scriptedTask({ name: 'registry snapshot', state: 'TASK_STATE_RUNNING', build: null });
    const build = scriptedTask({ state: 'TASK_STATE_RUNNING' });
    edge.world.tasks = [own, build, scriptedTask({ name: 'registry import' })];
    assert.equal(JSON.parse((await get('/default/running.json')).text).id, build.id);
    await json('/default/queue.json', '[]');
    assert.equal(JSON.parse((await get('/default/tasks.json')).text).length, 3);
  });

  it('gives each kind its keys, none null', async () => {
    const artifact = { architecture: 'x86_64', name: 'hello', version: '1', size: 0 };
    const where = { format: 'deb', distribution: 'bookworm', derivative: 'main' };
    const shell = { term: '', command: ['ls'] };
    const environment = { format: 'deb', environment: 'bookworm', architecture: 'x86_64' };
    const kinds = [
      ['artifact deletion', { deletion: { ...where, artifact } }, { ...where, artifact }],
      ['keyring creation', { keyring: {} }, {}],
      ['keyring renewal', { keyring: { duration: '1y' } }, { duration: '1y' }],
      ['history purge', {}, {}],
      ['image creation', { image: { format: 'deb', force: true } }, { format: 'deb', force: true }],
      ['image update', { image: { format: 'deb' } }, { format: 'deb' }],
      ['image shell', { image: { format: 'deb', ...shell } }, { format: 'deb', ...shell }],
      ['image build environment creation', { environment }, environment],
      ['image build environment update', { environment }, environment],
      [
        'image build environment shell',
        { environment: { ...environment, ...shell } },
        { ...environment, ...shell },
      ],
    ] as const;
    const common = ['id', 'name', 'user', 'state', 'result', 'submission', 'place', 'io'];
    for (const [name, detail, expected] of kinds) {
      const task = scriptedTask({ name, build: null, ...detail });
      edge.world.tasks = [task];
      const shown = JSON.parse((await get(`/default/tasks/${task.id}.json`)).text);
      assert.ok(
        common.every(key => shown[key] !== null && shown[key] !== undefined),
        name,
      );
      const own = Object.fromEntries(Object.entries(shown).filter(([key]) => !common.includes(key)));
      assert.deepEqual(own, expected, name);
    }
  });

  it('shows items of archives with exactly their two keys', async () => {
    const task = scriptedTask();
    task.build = { ...task.build, archives: [{ id: 'hello', path: '/c/hello-2.10.tar.gz' }] };
    edge.world.tasks = [task];
    const shown = JSON.parse((await get(`/default/tasks/${task.id}.json`)).text);
    assert.deepEqual(shown.archives, [{ id: 'hello', path: '/c/hello-2.10.tar.gz' }]);
  });

  it('lists the whole queue however long it is', async () => {
    edge.world.tasks = Array.from({ length: 2500 }, () => scriptedTask());
    const queue = JSON.parse((await get('/default/queue.json')).text) as { id: string }[];
    assert.deepEqual(
      queue.map(task => task.id),
      edge.world.tasks.map(task => task.id),
    );
  });
});

describe('changes', () => {
  it('submits a build with what the client sent, and answers its task', async () => {
    const answer = await postBuild(edge, [
      ...buildParts({ message: 'One\r\nTwo ünd', architectures: ' x86_64 , aarch64,x86_64' }),
      { name: 'source/hello', filename: '/home/jane/hello-2.11~rc1.tar.xz', body: Buffer.alloc(300_000, 1) },
      { name: 'unknown', body: 'x' },
    ]);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /^\{"task":"[0-9a-f-]{36}"\}\n$/);
    const [request] = edge.world.submitted;
    assert.equal(request?.message, 'One\nTwo ünd');
    assert.deepEqual(request?.architectures, ['x86_64', 'aarch64']);
    assert.equal(request?.author, 'Jane Roe');
    assert.equal(request?.definition?.size, 10);
    const [source] = request?.sources ?? [];
    assert.equal(source?.id, 'hello');
    assert.equal(source?.file?.filename, 'hello-2.11~rc1.tar.xz');
    assert.equal(source?.file?.size, 300_000);
    assert.match(source?.file?.sha256 ?? '', /^[0-9a-f]{64}$/);
  });

  it('deletes exactly the artifact named, in its version', async () => {
    const path = `${edge.url}/default/registry/deb/bookworm/main/noarch/libg++.json`;
    const headers = { authorization: 'Bearer good.builder.token' };
    const gone = await fetch(`${path}?version=1:1.0+b1`, { method: 'DELETE', headers });
    assert.equal(gone.status, 200);
    assert.match(await gone.text(), /^\{"task":"[0-9a-f-]{36}"\}\n$/);
    assert.equal((await fetch(`${path}?version=2`, { method: 'DELETE', headers })).status, 404);
    const missing = await fetch(path, { method: 'DELETE', headers });
    assert.equal(missing.status, 400);
    assert.equal(missing.headers.get('content-type'), 'text/html; charset=utf-8');
  });

  it('takes options of the additions from query or JSON alike', async () => {
    const headers = { authorization: 'Bearer good.admin.token' };
    const post = (path: string, body?: object) =>
      fetch(`${edge.url}/default/${path}`, {
        method: 'POST',
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    assert.equal((await post('keyring/renew?duration=1y')).status, 200);
    assert.equal((await post('keyring/renew', { duration: '2w' })).status, 200);
    const refused = await post('keyring/renew', { duration: 'soon' });
    assert.equal(refused.status, 400);
    assert.equal(refused.headers.get('content-type'), 'application/problem+json');
    assert.equal((await post('images/deb/create?force=true')).status, 200);
    assert.equal((await post('images/nope/create')).status, 404);
    assert.equal((await post('images/deb/environments/bookworm/x86_64/create')).status, 200);
    assert.equal((await post('history/purge')).status, 200);
    assert.equal((await post('keyring/create')).status, 200);
    assert.equal((await post('tokens', { subject: 'jane', days: 3 })).status, 200);
    assert.equal((await post('tokens', { subject: 'jane', days: MAX_TOKEN_DAYS })).status, 200);
    // More than the daemon grants is told by the document, so it is refused before the daemon is asked.
    assert.equal((await post('tokens', { subject: 'jane', days: MAX_TOKEN_DAYS + 1 })).status, 400);
    assert.equal((await post(`tasks/${randomUUID()}/cancel`)).status, 404);
    assert.equal((await fetch(`${edge.url}/default/tokens/abc`, { method: 'DELETE', headers })).status, 200);
    assert.equal((await fetch(`${edge.url}/default/tokens.json`, { headers })).status, 200);
    assert.equal((await fetch(`${edge.url}/default/images.json`, { headers })).status, 200);
    assert.equal((await fetch(`${edge.url}/default/keyring.json`, { headers })).status, 200);
    const me = await fetch(`${edge.url}/default/whoami.json`, { headers });
    assert.equal(((await me.json()) as { login: string }).login, 'root');
    assert.deepEqual(
      edge.world.changes.map(change => Object.values(change as object)[0]),
      [
        { instance: 'default', duration: '1y' },
        { instance: 'default', duration: '2w' },
        { instance: 'default', format: 'deb', force: true },
        { instance: 'default', format: 'deb', environment: 'bookworm', architecture: 'x86_64' },
        { instance: 'default', policy: '' },
        { instance: 'default', subject: 'jane', days: 3 },
        { instance: 'default', subject: 'jane', days: MAX_TOKEN_DAYS },
        { instance: 'default', jti: 'abc' },
      ],
    );
  });
});

describe('every path', () => {
  it('answers HEAD like GET without a body, OPTIONS with Allow, other methods with 405 and Allow', async () => {
    for (const path of [
      '/version',
      '/default/registry.json',
      '/default/queue.json',
      '/default/keyring.asc',
    ]) {
      const [head, got] = await Promise.all([
        fetch(edge.url + path, { method: 'HEAD' }),
        fetch(edge.url + path),
      ]);
      assert.equal(head.status, 200, path);
      assert.equal(head.headers.get('content-type'), got.headers.get('content-type'), path);
      assert.equal(await head.text(), '');
      const options = await fetch(edge.url + path, { method: 'OPTIONS' });
      assert.equal(options.status, 200);
      assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS');
      const put = await fetch(edge.url + path, { method: 'PUT', body: 'x' });
      assert.equal(put.status, 405);
      assert.equal(put.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(put.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
  });

  it('collapses repeated slashes and never redirects', async () => {
    await json('//default//registry.json', '["deb"]');
  });

  it('hides the daemon behind 503 pages with Retry-After while it is away', async () => {
    const lonely = await startTestEdge();
    try {
      await lonely.daemon.stop();
      const answer = await fetch(`${lonely.url}/default/registry.json`);
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
      assert.doesNotMatch(await answer.text(), /edge\.sock/);
      assert.equal((await fetch(`${lonely.url}/version`)).status, 200);
      assert.deepEqual(lonely.bugs, []);
    } finally {
      await lonely.stop();
    }
  });

  it('describes itself as OpenAPI 3.1 with every documented path', async () => {
    const document = JSON.parse((await get('/openapi.json')).text);
    assert.equal(document.openapi, '3.1.0');
    const paths = Object.keys(document.paths);
    for (const path of [
      '/version',
      '/instances.json',
      '/{instance}/instance.json',
      '/{instance}/pipelines/architectures.json',
      '/{instance}/pipelines/formats.json',
      '/{instance}/registry.json',
      '/{instance}/registry/{format}.json',
      '/{instance}/registry/{format}/{distribution}.json',
      '/{instance}/registry/{format}/{distribution}/{derivative}.json',
      '/{instance}/registry/{format}/{distribution}/{derivative}/{architecture}/{artifact}.json',
      '/{instance}/search.json',
      '/{instance}/build',
      '/{instance}/running.json',
      '/{instance}/queue.json',
      '/{instance}/tasks/{task}.json',
      '/{instance}/watch/{task}.journal',
      '/{instance}/keyring.asc',
    ]) {
      assert.ok(paths.includes(path), path);
    }
  });
});

describe('mono-instance mode', () => {
  it('leaves the instance out of every path, and knows no other', async () => {
    const mono = await startTestEdge('[edge]\ninstance = default\n');
    try {
      const status = async (path: string) => (await fetch(mono.url + path, { redirect: 'manual' })).status;
      assert.equal(
        await (await fetch(`${mono.url}/instance.json`)).text(),
        '{"id":"default","name":"Example","userid":"Ops <ops@example.org>"}\n',
      );
      assert.equal(await (await fetch(`${mono.url}/registry.json`)).text(), '[]\n');
      assert.equal(await status('/instances.json'), 404);
      assert.equal(await status('/default/registry.json'), 404);
      assert.equal(await status('/version'), 200);
      const root = await fetch(`${mono.url}/`, { redirect: 'manual' });
      assert.equal(root.status, 302);
      assert.equal(root.headers.get('location'), '/registry/');
      assert.equal(await status('/registry/'), 200);
      assert.equal(await status('/deb/dists/bookworm/InRelease'), 404);
    } finally {
      await mono.stop();
    }
  });
});
