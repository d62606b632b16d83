/**
 * The catalogue of bad inputs against the real pair of processes, row by row: what is refused at the door, and what is
 * accepted and then fails by the cause that the catalogue names, with nothing published.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeEnd, FrameReader } from '../../proto/frame.ts';
import { type Connection, connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import { ARTIFACT, type RawMember, tar, tarGz } from '../support/archives.ts';
import { type Home, makeHome, pretendReady } from '../support/daemon.ts';
import { BOUNDARY, buildParts, multipart, type RawPart, sendRaw, statusOf } from '../support/edge-home.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { tinyDeb, writeTinyDeb } from '../support/tiny-deb.ts';
import { until } from '../support/until.ts';

const INSTANCE = `name: Bad input
gpg: {name: Team, email: team@example.org}
formats:
  deb:
  - {name: bookworm, env: bookworm}
  rpm:
  - {name: el9, env: rocky-9}
  osi:
  - {name: ci}
derivatives:
  extra: {formats: [deb]}
`;
const POLICY = `[roles]
anonymous
builders=jane
[anonymous]
actions=view-pipeline,view-registry,view-task,view-keyring
[builders]
actions=build,edit-registry
`;
const PLACE = { instance: 'default', format: 'deb', distribution: 'bookworm', derivative: 'main' };

let home: Home;
let pair: Pair;
let connection: Connection;
let token = '';
let outside = '';

before(async () => {
  home = makeHome();
  home.configure(
    'rackwright.ini',
    // Nothing is published that no test asks for.
    '[keyring]\ntype = ed25519\n[format:deb]\nxz_after = 0\n[edge]\nheartbeat = 1\nmax_unpacked = 64 MiB\n',
  );
  home.configure('policy.ini', POLICY);
  home.configure('instances.d/default.yml', INSTANCE);
  pretendReady(home);
  rmSync(join(home.path, 'lib/keyring'), { recursive: true });
  outside = mkdtempSync(join(tmpdir(), 'rw-outside-'));
  pair = await startPair({ home: home.path });
  connection = connect(loadProtocol(), `unix:${pair.controlSocket}`);
  token = (await connection.service('TokenService').issueToken({ instance: 'default', subject: 'jane' }))
    .token;
  const { task } = await connection.service('KeyringService').createKeyring({ instance: 'default' });
  await finished(task);
});
after(async () => {
  connection?.close();
  await pair?.stop();
  home?.remove();
  rmSync(outside, { recursive: true, force: true });
});
afterEach(() => {
  assert.deepEqual(readdirSync(join(home.path, 'lib/spool')), [], 'the spool is empty');
  assert.doesNotMatch(pair.log(), / (ERROR|FATAL) /);
});

const url = (path: string): string => `${pair.url}/default/${path}`;
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

interface TaskJson {
  readonly state: string;
  readonly result: string;
  readonly place: string;
}

async function finished(id: string): Promise<TaskJson> {
  const task = async () => (await (await fetch(url(`tasks/${id}.json`))).json()) as TaskJson;
  await until(async () => (await task()).state === 'finished', 120_000);
  return task();
}

function post(parts: readonly RawPart[]): Promise<Response> {
  return fetch(url('build'), {
    method: 'POST',
    headers: { ...bearer(), 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: new Uint8Array(multipart(parts)),
  });
}

/** The cause that the end of a task's journal names; null for a success. */
function causeOf({ place }: TaskJson): string | null {
  const last = [...new FrameReader().push(readFileSync(join(place, 'task.journal')))].at(-1);
  const end = last && decodeEnd(last);
  assert.ok(end, 'the journal has an end');
  return end.succeeded ? null : end.reason;
}

/** Submits a definition, perhaps with the source it declares; it is accepted, and then fails by that cause. */
async function fails(
  cause: string,
  definition: Buffer,
  source?: { bytes: Buffer; name: string },
): Promise<void> {
  const parts = buildParts({ tarball: definition });
  const sent = source ? [{ name: 'source/hello', filename: source.name, body: source.bytes }] : [];
  const answer = await post([...parts, ...sent]);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const task = await finished((JSON.parse(text) as { task: string }).task);
  assert.equal(task.result, 'failed');
  assert.equal(causeOf(task), cause);
  assert.deepEqual(await (await fetch(url('registry.json'))).json(), [], 'nothing is published');
  assert.equal(existsSync(join(task.place, 'results')), false);
  const written = readdirSync(join(task.place, '..'), { recursive: true }).filter(name =>
    /escaped/.test(String(name)),
  );
  assert.deepEqual(written, [], 'nothing is written');
}

const definition = (...members: RawMember[]): Buffer => tar([ARTIFACT, ...members]);
const wholeSource = (bytes: Buffer) => ({ bytes, name: 'hello-1.tar.gz' });

describe('definitions', () => {
  it('R1: a member ../x fails: unsafe-archive', () =>
    fails('unsafe-archive', definition({ name: '../escaped' })));

  it('R2: an absolute member path fails: unsafe-archive', () =>
    fails('unsafe-archive', definition({ name: join(outside, 'escaped') })));

  it('R3: a hard link to a path outside fails: unsafe-archive', () =>
    fails('unsafe-archive', definition({ name: 'x', type: '1', target: '/etc/passwd' })));

  it('R4: a hard link to a symbolic link fails: unsafe-archive', () =>
    fails(
      'unsafe-archive',
      definition({ name: 's', type: '2', target: 'artifact.yml' }, { name: 'x', type: '1', target: 's' }),
    ));

  it('R6: a ratio above 1,000, or more than may be unpacked, fails: archive-too-large', async () => {
    const zeros = { name: 'zeros', content: Buffer.alloc(32 * 1024 * 1024) };
    await fails('archive-too-large', tarGz([ARTIFACT, zeros]));
    await fails('archive-too-large', definition({ name: 'big', content: Buffer.alloc(65 * 1024 * 1024) }));
  });

  it('R7: a name of 4,096 bytes, or a component above 255, fails: unsafe-archive', async () => {
    await fails('unsafe-archive', definition({ name: `${'a/'.repeat(2048)}x` }));
    await fails('unsafe-archive', definition({ name: 'x'.repeat(256) }));
  });

  it('R8: names that are no UTF-8, twins, or turn the direction of text fail: unsafe-archive', async () => {
    await fails('unsafe-archive', definition({ name: Buffer.from([0x78, 0xff]) }));
    await fails('unsafe-archive', definition({ name: 'caf\u00e9' }, { name: 'cafe\u0301' }));
    await fails('unsafe-archive', definition({ name: 'a\u202eb' }));
  });

  it('R9: what a pax header overrides is judged after the override: unsafe-archive', () =>
    fails('unsafe-archive', definition({ name: 'harmless', pax: { path: '../escaped' } })));

  it('R10: a cut stream, or garbage behind it, fails: corrupt-archive', async () => {
    const whole = tarGz([ARTIFACT, { name: 'deb/rules', content: 'x'.repeat(5000) }]);
    await fails('corrupt-archive', whole.subarray(0, whole.length - 20));
    await fails('corrupt-archive', Buffer.concat([whole, Buffer.from('garbage')]));
    await fails('corrupt-archive', Buffer.from('no archive at all'));
  });

  it('R11: no root, or two, fail: bad-layout', async () => {
    await fails('bad-layout', tar([{ name: 'deb/control', content: 'x' }]));
    await fails('bad-layout', tar([{ name: 'a/artifact.yml' }, { name: 'b/artifact.yml' }]));
  });

  it('R12: a link that leads in circles or out is never followed: unsafe-archive', async () => {
    const loop = [
      { name: 'a', type: '2', target: 'b' },
      { name: 'b', type: '2', target: 'a' },
      { name: 'a/escaped', content: 'x' },
    ];
    await fails('unsafe-archive', definition(...loop));
    await fails('unsafe-archive', definition({ name: 'out', type: '2', target: '/etc' }));
  });

  it('R28: a malformed version fails: bad-version', async () => {
    for (const version of ['"1 0"', '../1', '"-1"', '"1:2:3"', '"\u00e91"']) {
      const yaml = `version: ${version}\nsource: https://example.org/x.tar.gz\ndeb: {release: 1}\n`;
      await fails('bad-version', tar([{ name: 'artifact.yml', content: yaml }]));
    }
  });
});

describe('sources', () => {
  const yaml = 'version: 1\nsource: https://example.org/hello-{{ version }}.tar.gz\ndeb: {release: 1}\n';
  const good = tar([{ name: 'artifact.yml', content: yaml }]);

  it('R1 to R4: unsafe members of a source that was sent fail: unsafe-archive', async () => {
    for (const member of [
      { name: '../escaped' },
      { name: join(outside, 'escaped') },
      { name: 'x', type: '1', target: '/etc/passwd' },
    ]) {
      await fails('unsafe-archive', good, wholeSource(tarGz([member])));
    }
    assert.deepEqual(readdirSync(outside), []);
  });

  it('R6, R10: a bomb fails: archive-too-large, a cut one: corrupt-archive', async () => {
    const zeros = { name: 'hello-1/zeros', content: Buffer.alloc(64 * 1024 * 1024) };
    await fails('archive-too-large', good, wholeSource(tarGz([zeros])));
    const cut = tarGz([{ name: 'hello-1/x', content: 'y'.repeat(9999) }]).subarray(0, 60);
    await fails('corrupt-archive', good, wholeSource(cut));
    await fails('corrupt-archive', good, wholeSource(gzipSync('no tar')));
  });

  it('an id that the definition does not declare fails the task', () =>
    fails('no-source', definition(), wholeSource(tarGz([{ name: 'hello-1/x' }]))));
});

describe('fields', () => {
  it('R27: names that are none are refused with 400, 413 and 404, and reach no shell', async () => {
    for (const artifact of ['../x', 'a/b', 'a b', '-x', 'a;touch escaped', '$(touch escaped)', 'a\nb']) {
      assert.equal((await post(buildParts({ artifact }))).status, 400, artifact);
    }
    assert.equal((await post(buildParts({ artifact: 'a'.repeat(10_240) }))).status, 413);
    for (const name of ['..%2f..%2fx', 'a%20b', '-x', 'a;b', '%24(x)', 'a%0ab']) {
      const answer = await fetch(url(`registry/deb/bookworm/main/x86_64/${name}.json`));
      assert.equal(answer.status, 404, name);
      assert.equal(answer.headers.get('content-type'), 'application/json');
    }
  });

  it('R29: a message of 10 MB is 413, one with NUL or terminal escapes 400', async () => {
    assert.equal((await post(buildParts({ message: 'x'.repeat(10_000_000) }))).status, 413);
    for (const message of ['a\0b', 'a\u001b[31mb', 'a\u009bb']) {
      assert.equal((await post(buildParts({ message }))).status, 400, JSON.stringify(message));
    }
  });

  it('R30: a known derivative that is for another format, or a distribution of another, is 400', async () => {
    const osi = { format: 'osi', distribution: 'ci' };
    assert.equal((await post(buildParts({ ...osi, derivative: 'extra' }))).status, 400);
    assert.equal((await post(buildParts({ format: 'osi', distribution: 'bookworm' }))).status, 400);
    assert.equal((await post(buildParts({ format: 'deb', distribution: 'ci' }))).status, 400);
    assert.equal((await post(buildParts({ derivative: 'nothing' }))).status, 404);
    assert.equal((await post(buildParts({ format: 'snap' }))).status, 404);
    assert.equal((await post(buildParts({ distribution: 'sid' }))).status, 404);
    assert.equal((await post(buildParts({ architectures: 'x86_64,sparc' }))).status, 404);
    assert.equal((await post(buildParts({ architectures: 'x86_64,,' }))).status, 400);
  });

  it('what is not built yet is told with 503 before anything is recorded', async () => {
    const listed = async () => (await (await fetch(url('tasks.json'))).json()) as unknown[];
    const before = await listed();
    const answer = await post(buildParts({ format: 'osi', distribution: 'ci' }));
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), null, 'it will not be there in a moment');
    assert.match(await answer.text(), /can&#39;t build format osi yet; its registry takes what is imported/);
    const images = connection.service('ImageService');
    const unbuilt = { kind: 'unavailable', reason: 'not-built-yet' };
    const osi = { instance: 'default', format: 'osi' };
    await assert.rejects(images.createImage(osi), unbuilt);
    await assert.rejects(images.updateImage(osi), unbuilt);
    await assert.rejects(images.openShell(osi), unbuilt);
    const rpm = { instance: 'default', format: 'rpm', environment: 'rocky-9', architecture: 'x86_64' };
    await assert.rejects(images.createEnvironment(rpm), unbuilt);
    await assert.rejects(images.updateEnvironment(rpm), unbuilt);
    assert.deepEqual(await listed(), before);
  });

  it('R25: a task id that is no uuid is 404 JSON, one in upper case is the same task', async () => {
    const answer = await post(buildParts({ tarball: Buffer.from('no archive') }));
    const { task } = (await answer.json()) as { task: string };
    await finished(task);
    assert.equal((await fetch(url(`tasks/${task.toUpperCase()}.json`))).status, 200);
    for (const id of [`${task}x`, task.slice(1), '1', '%00', `${task}%2f..`]) {
      const missing = await fetch(url(`tasks/${id}.json`));
      assert.equal(missing.status, 404, id);
      assert.equal(typeof ((await missing.json()) as { error: string }).error, 'string');
    }
  });
});

describe('deletions and searches', () => {
  let number = 0;
  async function publish(...packages: (readonly [string, string])[]): Promise<void> {
    const source = join(outside, `in-${number++}`);
    mkdirSync(source);
    for (const [name, version] of packages) writeTinyDeb(source, tinyDeb(name, version));
    const { task } = await connection.service('RegistryService').importArtifacts({ place: PLACE, source });
    assert.equal((await finished(task)).result, 'success');
  }
  const remove = (name: string, query: string): Promise<Response> =>
    fetch(url(`registry/deb/bookworm/main/x86_64/${name}.json${query}`), {
      method: 'DELETE',
      headers: bearer(),
    });

  before(() => publish(['hello', '1-1'], ['hello.world', '2-1'], ['libg++', '3~rc1-1']));

  it('R31: without a version 400, with another version 404; twice at once is one removal', async () => {
    for (const query of ['', '?version=']) {
      const answer = await remove('hello', query);
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    }
    for (const version of ['2-1', '1', '1-1x', '..', '%00', '1;rm']) {
      const answer = await remove('hello', `?version=${version}`);
      assert.equal(answer.status, 404, version);
      assert.equal(answer.headers.get('content-type'), 'application/json');
    }
    const generations = async (): Promise<number> =>
      (await connection.service('RegistryService').listGenerations({ place: PLACE })).generations.length;
    const before = await generations();
    // The registry is held still, so that neither is done before both were asked for.
    const over = new AbortController();
    const call = { signal: over.signal, timeout: Number.POSITIVE_INFINITY };
    const hold = connection.service('DaemonService').holdForBackup({}, call)[Symbol.asyncIterator]();
    const { stage } = (await hold.next()).value ?? assert.fail('nothing is held');
    const twice = await Promise.all([remove('hello', '?version=1-1'), remove('hello', '?version=1-1')]);
    rmSync(stage, { recursive: true });
    over.abort();
    await hold.next().catch(() => undefined);
    assert.deepEqual(
      twice.map(answer => answer.status),
      [200, 200],
    );
    const ids = await Promise.all(
      twice.map(async answer => ((await answer.json()) as { task: string }).task),
    );
    const ends = await Promise.all(ids.map(finished));
    assert.deepEqual(ends.map(end => end.result).sort(), ['failed', 'success']);
    assert.deepEqual(ends.map(causeOf).filter(Boolean), ['not-found']);
    assert.equal(await generations(), before + 1, 'one publication');
    const listed = (await (await fetch(url('registry/deb/bookworm/main.json'))).json()) as { name: string }[];
    assert.deepEqual(
      listed.map(one => one.name),
      ['hello.world', 'libg++'],
    );
  });

  it('R32: an empty search is 400 as a page, and every character of another stands for itself', async () => {
    for (const query of ['', '?artifact=']) {
      const answer = await fetch(url(`search.json${query}`));
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    }
    const found = async (artifact: string): Promise<string[]> => {
      const answer = await fetch(url(`search.json?artifact=${artifact}`));
      const tree = (await answer.json()) as Record<
        string,
        Record<string, Record<string, { name: string }[]>>
      >;
      return (tree.deb?.bookworm?.main ?? []).map(one => one.name);
    };
    assert.deepEqual(await found('o.w'), ['hello.world']);
    assert.deepEqual(await found('g++'), ['libg++']);
    assert.deepEqual(await found('g%2B%2B'), ['libg++']);
    for (const pattern of ['.*', '%25', '_', 'h*', '[a-z]', "'", '%5C', 'HELLO', '\\d']) {
      assert.deepEqual(await found(pattern), [], pattern);
    }
    assert.deepEqual(await found('o'), ['hello.world']);
  });
});

describe('tokens', () => {
  const GOOD = { iat: 1_700_000_000, exp: 4_000_000_000, aud: 'rackwright', sub: 'jane' };
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  function made(claims: object, header: object = {}, key?: string): string {
    const secret = key ?? readFileSync(join(home.path, 'lib/tokens/default/key'), 'ascii');
    const text = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode({ ...GOOD, ...claims })}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  }
  const paths = ['/default/registry.json', '/instances.json', '/default/keyring.asc', '/default/deb/x'];

  it('R37: no token is anonymous; an empty Bearer, Basic, or two headers are 403', async () => {
    assert.equal((await fetch(url('registry.json'))).status, 200);
    assert.equal((await fetch(url('build'), { method: 'POST' })).status, 403);
    const two = `authorization: Bearer ${token}\r\n`.repeat(2);
    for (const path of paths) {
      for (const header of ['authorization: Bearer\r\n', 'authorization: Bearer \r\n', two]) {
        const answer = await sendRaw(
          Number(new URL(pair.url).port),
          `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n`,
        );
        assert.equal(statusOf(answer), 403, `${path} ${header}`);
        assert.match(answer, /\{"error":"/);
      }
      const basic = await fetch(pair.url + path, { headers: { authorization: 'Basic am9lOnB3' } });
      assert.equal(basic.status, 403, path);
    }
    // Stored files take the token as the password of Basic.
    const stored = { authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}` };
    assert.equal((await fetch(url('deb/dists/bookworm/InRelease'), { headers: stored })).status, 200);
  });

  it('R38: hostile, expired, early and foreign tokens are 403, wherever they are shown', async () => {
    const bad = [
      `${encode({ alg: 'none' })}.${encode(GOOD)}.`,
      ...[made({ exp: 1_700_000_001 }), made({ iat: 3_999_999_999 }), made({ nbf: 3_999_999_999 })],
      ...[
        made({ aud: 'other' }),
        made({ sub: '' }),
        made({}, {}, 'another key'),
        made({}, { kid: '../key' }, 'x'),
      ],
      ...[made({}, { alg: 'HS512' }), made({}, { alg: 'RS256' }), 'garbage', 'a.b.c'],
    ];
    assert.equal(
      (await fetch(url('registry.json'), { headers: { authorization: `Bearer ${made({})}` } })).status,
      200,
    );
    for (const one of bad) {
      for (const path of paths) {
        const answer = await fetch(pair.url + path, { headers: { authorization: `Bearer ${one}` } });
        assert.equal(answer.status, 403, `${path} ${one}`);
        assert.equal(answer.headers.get('content-type'), 'application/json');
      }
    }
  });

  it('R39: a token of 100 kB is 431', async () => {
    const request = `GET /version HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${'a'.repeat(100_000)}\r\n\r\n`;
    assert.equal(statusOf(await sendRaw(Number(new URL(pair.url).port), request)), 431);
  });
});

describe('watches', () => {
  it('R42: an offset that is none is 400, one past the end of an archived journal 416', async () => {
    const answer = await post(buildParts({ tarball: Buffer.from('no archive') }));
    const { task } = (await answer.json()) as { task: string };
    const { place } = await finished(task);
    const size = readFileSync(join(place, 'task.journal')).length;
    const status = async (offset: string): Promise<number> => {
      const watch = await fetch(url(`watch/${task}.journal?offset=${offset}`));
      await watch.body?.cancel();
      return watch.status;
    };
    for (const offset of ['-1', 'x', '1.5', '', '0x10', '99999999999999999999']) {
      assert.equal(await status(offset), 400, offset);
    }
    assert.equal(await status('3'), 400, 'no frame begins there');
    assert.equal(await status(String(size)), 416);
    assert.equal(await status(String(size + 1)), 416);
    assert.equal(await status('0'), 200);
  });
});
