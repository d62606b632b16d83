import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import { checkUrl, fetchCached, mismatch } from '../../../workers/source/download.ts';

const CONTENT = Buffer.from('the source\n'.repeat(1000));
const SUM = createHash('sha256').update(CONTENT).digest('hex');

let folder: string;
let origin: string;
let served = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => {
  served++;
  answer(request, response);
});

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rw-download-'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const good = (_request: IncomingMessage, response: ServerResponse): void => void response.end(CONTENT);

async function fetchIt(
  name: string,
  url = `${origin}/${name}`,
  sha256 = SUM,
  signal = new AbortController().signal,
): Promise<string[]> {
  const told: string[] = [];
  await fetchCached({
    url,
    checksums: { sha256 },
    path: join(folder, 'default/foo', name),
    tell: text => told.push(text),
    signal,
    task: 'task-1',
  });
  return told;
}

function refused(reason: string, message: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    const left = existsSync(join(folder, 'default/foo')) ? readdirSync(join(folder, 'default/foo')) : [];
    assert.ok(!left.some(name => name.endsWith('.part')), 'no half file is left');
    return true;
  };
}

describe('downloads', () => {
  test('are kept, checked on every use, and fetched once more when damaged', async () => {
    answer = good;
    await fetchIt('foo-1.tar');
    assert.ok(readFileSync(join(folder, 'default/foo/foo-1.tar')).equals(CONTENT));
    const before = served;
    assert.match((await fetchIt('foo-1.tar')).join(), /is in the cache/);
    assert.equal(served, before);
    writeFileSync(join(folder, 'default/foo/foo-1.tar'), 'damaged');
    assert.match((await fetchIt('foo-1.tar')).join(), /is damaged.*again/);
    assert.equal(served, before + 1);
    assert.equal(await mismatch(join(folder, 'default/foo/foo-1.tar'), { sha256: SUM }), null);
  });

  test('with another checksum are refused and not kept', async () => {
    answer = good;
    await assert.rejects(
      fetchIt('foo-2.tar', undefined, 'b'.repeat(64)),
      refused('bad-checksum', new RegExp(`sha256 is ${SUM}`)),
    );
    assert.ok(!existsSync(join(folder, 'default/foo/foo-2.tar')));
  });

  test('need status 200', async () => {
    for (const status of [204, 404, 500]) {
      answer = (_request, response) => void response.writeHead(status).end();
      await assert.rejects(
        fetchIt('foo-3.tar'),
        refused('download', new RegExp(`foo-3.tar answers ${status}`)),
      );
    }
  });

  test('follow a few redirections, to http and https only', async () => {
    answer = (request, response) => {
      const hops = Number(/hop=(\d+)/.exec(request.url ?? '')?.[1] ?? '0');
      if (hops === 0) response.end(CONTENT);
      else response.writeHead(302, { location: `/foo-4.tar?hop=${hops - 1}` }).end();
    };
    await fetchIt('foo-4.tar', `${origin}/foo-4.tar?hop=3`);
    await assert.rejects(
      fetchIt('foo-5.tar', `${origin}/foo-4.tar?hop=9`),
      refused('download', /redirects more than 5 times/),
    );
    answer = (_request, response) => void response.writeHead(301, { location: 'file:///etc/passwd' }).end();
    await assert.rejects(fetchIt('foo-5.tar'), refused('download', /leads to "file:/));
  });

  test('that break off, or have nobody to answer, fail naming the address', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': CONTENT.length });
      response.write(CONTENT.subarray(0, 100), () => response.destroy());
    };
    await assert.rejects(fetchIt('foo-6.tar'), refused('download', /foo-6\.tar can not be fetched/));
    await assert.rejects(
      fetchIt('foo-7.tar', 'http://127.0.0.1:9/foo-7.tar'),
      refused('download', /127\.0\.0\.1:9/),
    );
  });

  test('never tell the credentials of an address', async () => {
    const secret = (path: string): string => `${origin.replace('//', '//jane:s3cret@')}/${path}`;
    const silent = (error: unknown): boolean => {
      const { reason, message, details } = error as Fault;
      assert.doesNotMatch(`${message} ${JSON.stringify(details)}`, /s3cret|jane/);
      return /^(download|bad-checksum|bad-definition)$/.test(reason);
    };
    answer = good;
    for (const _ of ['fetched', 'cached']) {
      assert.doesNotMatch((await fetchIt('foo-9.tar', secret('foo-9.tar'))).join(), /s3cret|jane/);
    }
    await assert.rejects(fetchIt('foo-10.tar', secret('x'), '0'.repeat(64)), silent);
    for (const location of [secret('y'), 'ftp://jane:s3cret@e/', ' gopher:\\\\jane:s3cret@e', null]) {
      answer = ({ url }, response) => {
        const moved = location !== null && url !== '/y';
        response.writeHead(moved ? 302 : 404, moved ? { location } : {}).end();
      };
      await assert.rejects(fetchIt('foo-10.tar', secret('x')), silent);
    }
    for (const bad of ['ftp://jane:s3cret@e/', 'http://jane:s3cret @e/', ' http://jane:s3c:s3cret@e/']) {
      assert.throws(() => checkUrl(bad, 'artifact.yml'), silent);
    }
  });

  test('end with their task', async () => {
    const abort = new AbortController();
    answer = (_request, response) => {
      response.write('x');
      abort.abort(new Fault('cancelled', 'cancelled', 'cancelled by jane'));
    };
    await assert.rejects(fetchIt('foo-8.tar', undefined, SUM, abort.signal), refused('cancelled', /jane/));
  });

  test('take http and https addresses only', () => {
    for (const bad of [
      'file:///etc/passwd',
      'ftp://e/x',
      '/x',
      'javascript:1',
      'http://a b/',
      `http://e/${'x'.repeat(5000)}`,
      '',
    ]) {
      assert.throws(
        () => checkUrl(bad, 'artifact.yml: source "foo"'),
        (error: Fault) => error.reason === 'bad-definition' && error.message.startsWith('artifact.yml'),
        bad,
      );
    }
    assert.equal(checkUrl('https://example.org/a?b', 'x').href, 'https://example.org/a?b');
  });
});
