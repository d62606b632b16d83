/** Stored files: conditions, ranges, types, path safety, listing, credentials, and pins across a publication. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sendRaw, startTestEdge, statusOf, type TestEdge } from '../../support/edge-home.ts';

let edge: TestEdge;
let tree: string;

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), content);
}

/** Makes a generation current as publication does: a new link renamed over the old one. */
function publish(generation: string): void {
  write(`generations/bookworm/${generation}/InRelease`, `entry ${generation}`);
  write(`generations/bookworm/${generation}/Release.gpg`, `signature ${generation}`);
  write(`generations/bookworm/${generation}/main/binary-amd64/Packages.gz`, `index ${generation}`);
  mkdirSync(join(tree, 'dists'), { recursive: true });
  symlinkSync(`../generations/bookworm/${generation}`, join(tree, 'dists/.next'));
  renameSync(join(tree, 'dists/.next'), join(tree, 'dists/bookworm'));
}

before(async () => {
  edge = await startTestEdge();
  tree = join(edge.home, 'lib/registry/default/deb');
  publish('1');
  write('pool/main/h/hello/hello_2.10+b1_amd64.deb', Buffer.alloc(300_000, 7));
  write('pool/main/h/hello/.hidden', 'secret');
  write('pool/main/h/hello/small.xml', '<a/>');
  mkdirSync(join(edge.home, 'lib/registry/default/state/deb'), { recursive: true });
  writeFileSync(join(edge.home, 'lib/registry/default/state/deb/staged'), 'secret');
  symlinkSync('../../../../state/deb/staged', join(tree, 'pool/main/h/leak'));
  const old = new Date('2026-01-01T00:00:00Z');
  utimesSync(join(tree, 'pool/main/h/hello/hello_2.10+b1_amd64.deb'), old, old);
});
after(async () => {
  assert.deepEqual(edge.bugs, []);
  await edge.stop();
});

const DEB = '/default/deb/pool/main/h/hello/hello_2.10+b1_amd64.deb';

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(edge.url + path, { headers, method });
}

describe('a stored file', () => {
  it('comes whole, with validators and its type, and no content encoding', async () => {
    const answer = await get(DEB, { 'accept-encoding': 'gzip' });
    assert.equal(answer.status, 200);
    assert.equal((await answer.arrayBuffer()).byteLength, 300_000);
    assert.equal(answer.headers.get('content-type'), 'application/vnd.debian.binary-package');
    assert.equal(answer.headers.get('content-encoding'), null);
    assert.equal(answer.headers.get('last-modified'), 'Thu, 01 Jan 2026 00:00:00 GMT');
    assert.match(answer.headers.get('etag') ?? '', /^"[^"]+"$/);
    assert.equal(answer.headers.get('accept-ranges'), 'bytes');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    const index = await get('/default/deb/dists/bookworm/main/binary-amd64/Packages.gz');
    assert.equal(index.headers.get('content-type'), 'application/gzip');
    assert.equal(await index.text(), 'index 1');
    assert.equal(
      (await get('/default/deb/dists/bookworm/InRelease')).headers.get('content-type'),
      'application/octet-stream',
    );
    assert.equal(
      (await get('/default/deb/pool/main/h/hello/small.xml')).headers.get('content-type'),
      'application/xml',
    );
  });

  it('answers HEAD with the same length and nothing else', async () => {
    const answer = await get(DEB, {}, 'HEAD');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-length'), '300000');
    assert.equal(await answer.text(), '');
  });

  it('is not sent again to whom it is known', async () => {
    const first = await get(DEB);
    await first.arrayBuffer();
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    assert.equal((await get(DEB, { 'if-none-match': etag })).status, 304);
    assert.equal((await get(DEB, { 'if-none-match': `"x", W/${etag}` })).status, 304);
    assert.equal((await get(DEB, { 'if-none-match': '*' })).status, 304);
    assert.equal((await get(DEB, { 'if-modified-since': modified })).status, 304);
    assert.equal((await get(DEB, { 'if-modified-since': 'Wed, 31 Dec 2025 23:59:59 GMT' })).status, 200);
    assert.equal((await get(DEB, { 'if-none-match': '"x"', 'if-modified-since': modified })).status, 200);
    assert.equal((await get(DEB, { 'if-modified-since': 'garbage' })).status, 200);
  });

  it('comes in one range, ignores what is no range, and refuses what can not be', async () => {
    const range = async (value: string, more: Record<string, string> = {}) => {
      const answer = await get(DEB, { range: value, ...more });
      return [answer.status, (await answer.arrayBuffer()).byteLength, answer.headers.get('content-range')];
    };
    assert.deepEqual(await range('bytes=0-9'), [206, 10, 'bytes 0-9/300000']);
    assert.deepEqual(await range('bytes=299990-'), [206, 10, 'bytes 299990-299999/300000']);
    assert.deepEqual(await range('bytes=-5'), [206, 5, 'bytes 299995-299999/300000']);
    assert.deepEqual(await range('bytes=100-999999'), [206, 299_900, 'bytes 100-299999/300000']);
    assert.deepEqual(await range('bytes=300000-'), [416, 0, 'bytes */300000']);
    assert.deepEqual(await range('bytes=-0'), [416, 0, 'bytes */300000']);
    assert.deepEqual(await range('bytes=9-3'), [200, 300_000, null]);
    assert.deepEqual(await range('lines=0-9'), [200, 300_000, null]);
    assert.deepEqual(await range('bytes=0-1,5-6'), [200, 300_000, null]);
    const many = Array.from({ length: 1000 }, (_, at) => `${at * 2}-${at * 2}`).join(',');
    assert.deepEqual(await range(`bytes=${many}`), [416, 0, 'bytes */300000'], 'R24');
    assert.deepEqual(await range('bytes=1-1'), [206, 1, 'bytes 1-1/300000'], 'R24');
    const { headers } = await get(DEB, {}, 'HEAD');
    assert.equal((await range('bytes=0-9', { 'if-range': headers.get('etag') ?? '' }))[0], 206);
    assert.equal((await range('bytes=0-9', { 'if-range': headers.get('last-modified') ?? '' }))[0], 206);
    assert.equal((await range('bytes=0-9', { 'if-range': '"other"' }))[0], 200);
  });

  it('is dated back while its second lasts, so that a client that asks by date can not keep a replaced state', async () => {
    const file = 'pool/main/h/hello/fresh';
    write(file, 'one');
    const first = await get(`/default/deb/${file}`);
    const modified = first.headers.get('last-modified') ?? '';
    assert.equal(await first.text(), 'one');
    write(file, 'two');
    const second = await get(`/default/deb/${file}`, { 'if-modified-since': modified });
    assert.equal(second.status, 200);
    assert.equal(await second.text(), 'two');
  });

  it('keeps a connection for many requests, pipelined too', async () => {
    const one = `GET ${DEB} HTTP/1.1\r\nhost: x\r\nrange: bytes=0-0\r\n`;
    const answer = await sendRaw(edge.port, `${one}\r\n${one}\r\n${one}connection: close\r\n\r\n`);
    assert.equal(answer.match(/HTTP\/1\.1 206/g)?.length, 3);
  });
});

describe('paths', () => {
  it('lead nowhere outside the public tree, however they are written', async () => {
    for (const path of [
      '../state/deb/staged',
      '%2e%2e/state/deb/staged',
      '..%2fstate%2fdeb%2fstaged',
      '%252e%252e/state',
      './pool',
      'pool/../../state/deb/staged',
      'pool/main/h/hello/.hidden',
      'pool/main/h/hello/%2ehidden',
      'pool/main/h/leak',
      'pool%5c..%5cstate',
      'pool\\main',
      'pool/%00',
      'pool/main/h/hello/hello_2.10%00.deb',
      'pool/main%2fh',
      'pool/%zz',
      'pool/%ff',
      'dists/bookworm/../../../state',
      `${'a/'.repeat(100)}x`,
      'x'.repeat(300),
      'pool/main/h/hello/small.xml/x',
    ]) {
      const answer = await sendRaw(
        edge.port,
        `GET /default/deb/${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
      assert.equal(statusOf(answer), 404, path);
      assert.match(answer, /content-type: application\/json\r\n/i, path);
      assert.doesNotMatch(answer, /secret/, path);
    }
  });

  it('may be encoded once, and a plus is a plus', async () => {
    assert.equal((await get(DEB.replace('+', '%2B'), {}, 'HEAD')).status, 200);
    assert.equal((await get(DEB.replace('hello_', '%68ello_'), {}, 'HEAD')).status, 200);
  });

  it('of directories give an escaped listing, or 403 where listing is off', async () => {
    write('pool/main/h/hello/<b>&.deb', 'x');
    const answer = await get('/default/deb/pool/main/h/hello/');
    const text = await answer.text();
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(text, /hello_2\.10\+b1_amd64\.deb/);
    assert.match(text, /&lt;b&gt;&amp;\.deb/);
    assert.doesNotMatch(text, /hidden|<b>/);
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    const quiet = await startTestEdge('[edge]\nlisting = no\n');
    try {
      mkdirSync(join(quiet.home, 'lib/registry/default/deb/pool'), { recursive: true });
      const refused = await fetch(`${quiet.url}/default/deb/pool/`);
      assert.equal(refused.status, 403);
      assert.equal(refused.headers.get('content-type'), 'application/json');
    } finally {
      await quiet.stop();
    }
  });
});

describe('credentials', () => {
  it('may come as the password of Basic, as apt and dnf send them', async () => {
    const basic = (password: string) => ({
      authorization: `Basic ${Buffer.from(`jane:${password}`).toString('base64')}`,
    });
    edge.world.tokens.set('good.reader.token', { login: 'reader', actions: ['view-registry'] });
    assert.equal((await get(DEB, basic('good.reader.token'), 'HEAD')).status, 200);
    assert.equal((await get(DEB, basic('wrong.token.here'), 'HEAD')).status, 403);
    assert.equal((await get(DEB, basic('not a token'), 'HEAD')).status, 403);
    assert.equal((await get(DEB, basic('good.builder.token'), 'HEAD')).status, 403, 'its policy forbids');
  });
});

describe('pins', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());

  /** Reads over one kept connection. */
  function kept(path: string, headers: Record<string, string> = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const call = httpRequest(`${edge.url}/default/deb/${path}`, { agent, headers }, answer => {
        let text = '';
        answer.on('data', chunk => {
          text += chunk;
        });
        answer.on('end', () => resolve(answer.statusCode === 304 ? 'unchanged' : text));
      });
      call.on('error', reject);
      call.end();
    });
  }

  it('keep a connection at the generation whose entry file it read, until it reads the next', async () => {
    publish('2');
    assert.equal(await kept('dists/bookworm/InRelease'), 'entry 2');
    publish('3');
    assert.equal(await kept('dists/bookworm/main/binary-amd64/Packages.gz'), 'index 2');
    assert.equal(await kept('dists/bookworm/Release.gpg'), 'signature 2');
    assert.equal(await kept('dists/bookworm/InRelease'), 'entry 3');
    assert.equal(await kept('dists/bookworm/main/binary-amd64/Packages.gz'), 'index 3');
  });

  it('are set by a 304 as well', async () => {
    publish('4');
    await kept('dists/bookworm/InRelease');
    const { headers } = await get('/default/deb/dists/bookworm/InRelease', {}, 'HEAD');
    assert.equal(
      await kept('dists/bookworm/InRelease', { 'if-none-match': headers.get('etag') ?? '' }),
      'unchanged',
    );
    publish('5');
    assert.equal(await kept('dists/bookworm/main/binary-amd64/Packages.gz'), 'index 4');
  });

  it('follow the peer where connections are not reused', async () => {
    const fresh = (path: string) =>
      sendRaw(edge.port, `GET /default/deb/${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    publish('6');
    assert.match(await fresh('dists/bookworm/InRelease'), /entry 6$/);
    publish('7');
    assert.match(await fresh('dists/bookworm/main/binary-amd64/Packages.gz'), /index 6$/);
  });
});
