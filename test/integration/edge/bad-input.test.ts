/** The catalogue of bad inputs, as far as it concerns HTTP: each row is answered as listed, and nothing stays behind. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  BOUNDARY,
  buildParts,
  multipart,
  postBuild,
  type RawPart,
  sendRaw,
  startTestEdge,
  statusOf,
  type TestEdge,
} from '../../support/edge-home.ts';
import { scriptedTask } from '../../support/scripted-daemon.ts';
import { until } from '../../support/until.ts';

const TOKEN = 'Bearer good.builder.token';
let edge: TestEdge;

before(async () => {
  edge = await startTestEdge('[edge]\nmax_upload = 4 MiB\n');
});
after(() => edge.stop());
afterEach(() => {
  assert.deepEqual(edge.bugs, []);
  assert.deepEqual(readdirSync(edge.world.spool), [], 'the spool is empty');
});

/** Posts a body as bytes with the given headers. */
function post(body: string | Buffer, headers: Record<string, string>): Promise<string> {
  const bytes = Buffer.from(body);
  const lines = Object.entries({
    host: 'x',
    authorization: TOKEN,
    connection: 'close',
    'content-length': String(bytes.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendRaw(
    edge.port,
    Buffer.concat([Buffer.from(`POST /default/build HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]),
  );
}

async function refused(status: number, parts: readonly RawPart[]): Promise<string> {
  const before = edge.world.submitted.length;
  const answer = await postBuild(edge, parts);
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  const json = status === 403 || status === 404;
  assert.equal(answer.headers.get('content-type'), json ? 'application/json' : 'text/html; charset=utf-8');
  assert.equal(edge.world.submitted.length, before, 'no task');
  return text;
}

const multipartType = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

describe('multipart and HTTP', () => {
  it('R13: a missing boundary parameter is 400', async () => {
    assert.equal(
      statusOf(await post(multipart(buildParts()), { 'content-type': 'multipart/form-data' })),
      400,
    );
    assert.equal(
      statusOf(await post('format=deb', { 'content-type': 'application/x-www-form-urlencoded' })),
      400,
    );
    assert.equal(statusOf(await post('x', {})), 400);
  });

  it('R14: a boundary that is never closed is 400 at the end of the body', async () => {
    const whole = multipart(buildParts());
    for (const cut of [3, 60, whole.length >> 1, whole.length - 5]) {
      assert.equal(
        statusOf(await post(whole.subarray(0, whole.length - cut), multipartType)),
        400,
        String(cut),
      );
    }
  });

  it('R15: a field name of 1,000 levels is 413', async () => {
    await refused(413, [...buildParts(), { name: `a${'[b]'.repeat(1000)}`, body: 'x' }]);
  });

  it('R16: a field a[9999999999] is passed over as unknown', async () => {
    const answer = await postBuild(edge, [...buildParts(), { name: 'a[9999999999]', body: 'x' }]);
    assert.equal(answer.status, 200);
  });

  it('R17: a part header of 64 kB is 413', async () => {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\nX-Long: ${'y'.repeat(64_000)}\r\n\r\nv\r\n`;
    assert.equal(
      statusOf(await post(Buffer.concat([Buffer.from(head), multipart(buildParts())]), multipartType)),
      413,
    );
  });

  it('R18: a field that stands twice is 400, an equal distribution repeated is accepted', async () => {
    await refused(400, [...buildParts(), { name: 'format', body: 'deb' }]);
    await refused(400, [...buildParts(), { name: 'artifact', body: 'hello' }]);
    await refused(400, [...buildParts(), { name: 'distribution', body: 'trixie' }]);
    const answer = await postBuild(edge, [...buildParts(), { name: 'distribution', body: 'bookworm' }]);
    assert.equal(answer.status, 200);
  });

  it('R19: a source without id, with a path for an id, or twice is 400', async () => {
    const source = (name: string) => ({ name, filename: 'hello-1.tar.xz', body: 'x' });
    await refused(400, [...buildParts(), source('source/')]);
    await refused(400, [...buildParts(), source('source/../x')]);
    await refused(400, [...buildParts(), source('source/hello'), source('source/hello')]);
    await refused(400, [...buildParts(), { ...source('source/hello'), filename: 'other-1.tar.xz' }]);
    await refused(400, [...buildParts(), { ...source('source/hello'), filename: 'hello-1.exe' }]);
    await refused(400, [...buildParts(), { name: 'source/hello', body: 'x' }]);
  });

  it('R20: each of the nine parts missing or empty is 400 and no task', async () => {
    for (const { name } of buildParts()) {
      assert.match(await refused(400, buildParts({ [name]: null })), new RegExp(`${name} is missing`));
      await refused(400, buildParts({ [name]: '' }));
    }
  });

  it('R22: a gzip-encoded body is 400 and never inflated', async () => {
    assert.equal(
      statusOf(await post(multipart(buildParts()), { ...multipartType, 'content-encoding': 'gzip' })),
      400,
    );
  });

  it('R23: method overrides are ignored, TRACE and unknown methods are 405', async () => {
    const override = await fetch(`${edge.url}/version`, { headers: { 'x-http-method-override': 'DELETE' } });
    assert.equal(override.status, 200);
    for (const method of ['TRACE', 'PURGE', 'PROPFIND']) {
      const answer = await sendRaw(
        edge.port,
        `${method} /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
      assert.equal(statusOf(answer), 405, method);
      assert.match(answer, /allow: GET, HEAD, OPTIONS/i);
    }
  });

  it('R25: a task id that is no uuid is 404 JSON', async () => {
    for (const id of ['1', 'x', '%00', '..%2f..', 'null', `${'a'.repeat(400)}`]) {
      for (const path of [`tasks/${id}.json`, `watch/${id}.journal`]) {
        const answer = await fetch(`${edge.url}/default/${path}`);
        assert.equal(answer.status, 404, path);
        assert.equal(typeof ((await answer.json()) as { error: unknown }).error, 'string');
      }
    }
  });

  it('R26: a parameter given twice is 400, a query of 1 MB is 414 or 431', async () => {
    for (const path of [
      'search.json?artifact=a&artifact=b',
      'pipelines/formats.json?format=deb&format=rpm',
    ]) {
      const answer = await fetch(`${edge.url}/default/${path}`);
      assert.equal(answer.status, 400, path);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    }
    const long = await sendRaw(
      edge.port,
      `GET /default/search.json?artifact=${'a'.repeat(1_000_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    );
    assert.ok([414, 431].includes(statusOf(long)), long.slice(0, 60));
  });

  it('answers only one of two lengths: ambiguous framing is refused and closed', async () => {
    const answer = await sendRaw(
      edge.port,
      'POST /default/build HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /version HTTP/1.1\r\nhost: x\r\n\r\n',
    );
    assert.equal(statusOf(answer), 400);
    assert.doesNotMatch(answer, /Rackwright v/);
  });

  it('refuses two Host headers and closes, whatever is at the path', async () => {
    for (const path of ['/version', '/nothing/here', '/default/registry.json']) {
      const next = 'GET /version HTTP/1.1\r\nhost: x\r\n\r\n';
      const answer = await sendRaw(edge.port, `GET ${path} HTTP/1.1\r\nhost: x\r\nHOST: y\r\n\r\n${next}`);
      assert.equal(statusOf(answer), 400, path);
      assert.match(answer, /connection: close\r\n/i);
      assert.doesNotMatch(answer, /Rackwright v/);
    }
  });

  it('refuses two Idempotency-Key headers, the same or not, and takes one', async () => {
    const body = multipart(buildParts());
    const before = edge.world.submitted.length;
    const lines = (...keys: string[]): string => keys.map(key => `idempotency-key: ${key}\r\n`).join('');
    const send = (keys: string): Promise<string> =>
      sendRaw(
        edge.port,
        Buffer.concat([
          Buffer.from(
            `POST /default/build HTTP/1.1\r\nhost: x\r\nauthorization: ${TOKEN}\r\nconnection: close\r\n` +
              `content-type: ${multipartType['content-type']}\r\ncontent-length: ${body.length}\r\n${keys}\r\n`,
          ),
          body,
        ]),
      );
    for (const keys of [lines('one', 'two'), lines('one', 'one'), lines('', '')])
      assert.equal(statusOf(await send(keys)), 400, keys);
    assert.equal(edge.world.submitted.length, before, 'no task');
    assert.equal(statusOf(await send(lines('one'))), 200);
    assert.equal(edge.world.submitted.at(-1)?.idempotencyKey, 'one');
    for (const name of readdirSync(edge.world.spool)) rmSync(join(edge.world.spool, name));
  });

  it('S24: a client that vanishes leaves no task and no file', async () => {
    const before = edge.world.submitted.length;
    const socket = connect(edge.port, '127.0.0.1');
    const body = multipart([
      ...buildParts(),
      { name: 'source/hello', filename: 'hello-1.tar.xz', body: Buffer.alloc(2_000_000) },
    ]);
    socket.write(
      `POST /default/build HTTP/1.1\r\nhost: x\r\nauthorization: ${TOKEN}\r\ncontent-type: ${multipartType['content-type']}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 1_500_000));
    const spooled = () => readdirSync(edge.world.spool).length;
    await until(() => spooled() === 2);
    socket.destroy();
    await until(() => spooled() === 0);
    assert.equal(edge.world.submitted.length, before);
  });
});

describe('fields', () => {
  it('R27: a bad artifact name is 400, one of 10 kB 413, one in a path 404', async () => {
    for (const artifact of [
      '../x',
      'a/b',
      'a b',
      '-x',
      'a;b',
      'a$b',
      'a\nb',
      'a`b',
      '"',
      "'",
      '|',
      '\u202e',
    ]) {
      await refused(400, buildParts({ artifact }));
    }
    await refused(413, buildParts({ artifact: 'a'.repeat(10_000) }));
    const path = await fetch(
      `${edge.url}/default/registry/deb/bookworm/main/x86_64/${encodeURIComponent('a;b $(x)')}.json`,
    );
    assert.equal(path.status, 404);
  });

  it('takes a source id of 128 characters, and none of more', async () => {
    const source = (id: string) => [
      ...buildParts(),
      { name: `source/${id}`, filename: `${id}-1.tar.xz`, body: 'x' },
    ];
    const longest = 'a'.repeat(128);
    const answer = await postBuild(edge, source(longest));
    assert.equal(answer.status, 200, await answer.text());
    assert.equal(edge.world.submitted.at(-1)?.sources[0]?.id, longest);
    await refused(413, source(`${longest}a`));
  });

  it('R28: a malformed version on DELETE is 404', async () => {
    for (const version of ['..', 'a b', '%00', '1;rm', '1:']) {
      const answer = await fetch(
        `${edge.url}/default/registry/deb/bookworm/main/x86_64/hello.json?version=${version}`,
        {
          method: 'DELETE',
          headers: { authorization: TOKEN },
        },
      );
      assert.equal(answer.status, 404, version);
    }
  });

  it('R29: a message of 10 MB is 413, NUL or terminal escapes are 400', async () => {
    await refused(413, buildParts({ message: 'x'.repeat(100_000) }));
    for (const message of ['a\0b', 'a\u001b[2Jb', 'a\rb', 'a\u009b2Jb', ' \n ']) {
      await refused(400, buildParts({ message }));
    }
    const big = await post(multipart(buildParts({ message: 'x'.repeat(10_000_000) })), multipartType);
    assert.equal(statusOf(big), 413);
  });

  it('refuses names and addresses that would break a changelog line', async () => {
    for (const user_name of ['a\nb', 'Jane <x>', 'a\u0007', 'a\u2028b'])
      await refused(400, buildParts({ user_name }));
    for (const user_email of ['<x@y>', 'a\r\nb']) await refused(400, buildParts({ user_email }));
  });

  it('refuses fields that are not UTF-8', async () => {
    await refused(400, buildParts({ message: Buffer.from([0x61, 0xff, 0xfe]) }));
  });

  it('refuses more than 64 sources, 128 parts, 4 KiB of a field and the whole upload limit with 413', async () => {
    const sources = Array.from({ length: 65 }, (_, index) => ({
      name: `source/s${index}`,
      filename: `s${index}-1.tar.xz`,
      body: 'x',
    }));
    await refused(413, [...buildParts(), ...sources]);
    await refused(413, [
      ...buildParts(),
      ...Array.from({ length: 128 }, (_, index) => ({ name: `x${index}`, body: '' })),
    ]);
    await refused(413, buildParts({ user_name: 'x'.repeat(4097) }));
    await refused(413, buildParts({ tarball: Buffer.alloc(4 * 1024 * 1024) }));
  });

  it('goes by the limits that the settings state', async () => {
    const other = await startTestEdge(
      '[edge]\nmax_text = 5K\nmax_message = 100\nmax_sources = 130\nmax_upload = 4 MiB\n',
    );
    try {
      const sources = (count: number) =>
        Array.from({ length: count }, (_, at) => ({
          name: `source/s${at}`,
          filename: `s${at}-1.tar.xz`,
          body: 'x',
        }));
      const status = async (parts: readonly RawPart[]) => (await postBuild(other, parts)).status;
      assert.equal(await status([...buildParts({ user_name: 'x'.repeat(5120) }), ...sources(130)]), 200);
      assert.equal(await status(buildParts({ user_name: 'x'.repeat(5121) })), 413);
      assert.equal(await status(buildParts({ message: 'x'.repeat(101) })), 413);
      assert.equal(await status([...buildParts(), ...sources(131)]), 413);
    } finally {
      await other.stop();
    }
  });

  it('R31: DELETE without a version, or an empty one, is 400', async () => {
    for (const query of ['', '?version=', '?version=1&version=2']) {
      const answer = await fetch(`${edge.url}/default/registry/deb/bookworm/main/x86_64/hello.json${query}`, {
        method: 'DELETE',
        headers: { authorization: TOKEN },
      });
      assert.equal(answer.status, 400, query);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    }
  });

  it('R32: an empty search is 400 as a page', async () => {
    for (const query of ['', '?artifact=', '?other=x']) {
      const answer = await fetch(`${edge.url}/default/search.json${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    }
  });

  it('escapes what it repeats of the input', async () => {
    const answer = await fetch(`${edge.url}/version/%3Cscript%3E`);
    assert.equal(answer.status, 404);
    const page = await fetch(`${edge.url}/default/search?artifact=%3Cscript%3E%22`);
    assert.doesNotMatch(await page.text(), /<script>"/);
  });
});

describe('tokens', () => {
  it('R37: an empty Bearer, Basic, or two Authorization headers are 403 JSON', async () => {
    for (const lines of [
      'authorization: Bearer\r\n',
      'authorization: Bearer \r\n',
      'authorization: Basic Zm9vOmJhcg==\r\n',
      'authorization: Digest x\r\n',
      'authorization: \r\n',
      `authorization: ${TOKEN}\r\nauthorization: ${TOKEN}\r\n`,
    ]) {
      const answer = await sendRaw(
        edge.port,
        `GET /default/registry.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines}\r\n`,
      );
      assert.equal(statusOf(answer), 403, lines);
      assert.match(answer, /\{"error":/);
      assert.match(answer, /content-type: application\/json\r\n/i);
    }
  });

  it('R38: a token that the daemon refuses is 403 JSON with its word', async () => {
    const answer = await fetch(`${edge.url}/default/registry.json`, {
      headers: { authorization: 'Bearer a.b.c' },
    });
    assert.equal(answer.status, 403);
    assert.equal(((await answer.json()) as { error: string }).error, 'the token is not valid');
  });

  it('R39: a token of 100 kB is 431', async () => {
    const answer = await sendRaw(
      edge.port,
      `GET /version HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${'a'.repeat(100_000)}\r\n\r\n`,
    );
    assert.equal(statusOf(answer), 431);
  });

  it('judges permission before the instance, the instance before parameters', async () => {
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(edge.url + path, init)).status;
    assert.equal(await status('/nope/build', { method: 'POST', body: 'x' }), 403);
    assert.equal(await status('/nope/registry.json'), 404);
    assert.equal(await status('/nope/search.json'), 404);
    assert.equal(await status('/default/registry/deb/a/b/c/d.json', { method: 'DELETE' }), 403);
    assert.equal(await status('/nope/registry/deb/a/b/c/d.json', { method: 'DELETE' }), 403);
    edge.world.anonymous = [];
    try {
      await new Promise(resolve => setTimeout(resolve, 2100));
      assert.equal(await status('/default/search.json'), 403);
      assert.equal(await status('/nope/search.json'), 403);
      assert.equal(await status('/default/deb/dists/x'), 403);
      assert.equal(await status('/version'), 200);
    } finally {
      edge.world.anonymous = ['view-pipeline', 'view-registry', 'view-task', 'view-keyring'];
    }
  });

  it('sends an early refusal after reading the whole upload', async () => {
    const body = multipart([
      ...buildParts(),
      { name: 'source/hello', filename: 'hello-1.tar.xz', body: Buffer.alloc(3_000_000) },
    ]);
    const answer = await fetch(`${edge.url}/default/build`, {
      method: 'POST',
      headers: multipartType,
      body: new Uint8Array(body),
    });
    assert.equal(answer.status, 403);
    assert.equal(answer.headers.get('content-type'), 'application/json');
  });

  it("refuses changes that a browser makes for another site's page", async () => {
    const answer = await postBuild(edge, buildParts(), { 'sec-fetch-site': 'cross-site' });
    assert.equal(answer.status, 403);
  });
});

describe('watch', () => {
  it('R42: an offset that is no number is 400, one past the end of an archived task 416', async () => {
    const task = scriptedTask({ state: 'TASK_STATE_FINISHED', result: 'TASK_RESULT_SUCCESS' });
    edge.world.tasks = [task];
    edge.world.journals.set(task.id ?? '', [Buffer.from([1, 0, 0, 0, 1, 0, 0, 0, 65]), null]);
    const status = async (offset: string) =>
      (
        await fetch(`${edge.url}/default/watch/${task.id}.journal?offset=${offset}`, {
          headers: { authorization: TOKEN },
        })
      ).status;
    for (const offset of ['-1', 'x', '1.5', '', '1e3', '9999999999999999999'])
      assert.equal(await status(offset), 400, offset);
    assert.equal(await status('1000'), 416);
    assert.equal(await status('0'), 200);
  });
});
