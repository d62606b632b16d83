/** The multipart reader: the same parts however the bytes arrive, and as another parser reads them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundaryOf, readMultipart } from '../../../edge/http/multipart.ts';
import { Refusal } from '../../../edge/http/problem.ts';
import { SEED, scaled } from '../../support/scale.ts';

interface Part {
  name: string;
  filename: string | null;
  body: Buffer;
}

async function read(body: Buffer, boundary: string, cuts: readonly number[] = []): Promise<Part[]> {
  async function* chunks() {
    let from = 0;
    for (const cut of [...cuts, body.length]) {
      // Copies, so that a reader that keeps what it must not is found out.
      const chunk = Buffer.from(body.subarray(from, cut));
      yield chunk;
      chunk.fill(0xff);
      from = cut;
    }
  }
  const parts: Part[] = [];
  for await (const event of readMultipart(chunks(), boundary)) {
    if (event.type === 'head') parts.push({ ...event.head, body: Buffer.alloc(0) });
    const last = parts.at(-1);
    if (event.type === 'data' && last) last.body = Buffer.concat([last.body, event.bytes]);
  }
  return parts;
}

async function status(body: string | Buffer, boundary = 'b'): Promise<number> {
  try {
    await read(Buffer.from(body), boundary);
    return 200;
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.status;
  }
}

const head = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}\r\n\r\n`;

describe('the boundary', () => {
  it('comes bare or quoted, and must be there', () => {
    assert.equal(boundaryOf('multipart/form-data; boundary=abc'), 'abc');
    assert.equal(boundaryOf('Multipart/Form-Data; charset=utf-8; Boundary="a b:c"'), 'a b:c');
    for (const type of [
      undefined,
      'text/plain',
      'multipart/mixed; boundary=x',
      'multipart/form-data',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
    ]) {
      assert.throws(() => boundaryOf(type), Refusal);
    }
  });
});

describe('parts', () => {
  it('come with names, file names and bodies, empty ones too, however the bytes are cut', async () => {
    const body = Buffer.from(
      `preamble\r\n--b\r\n${head('a')}one\r\n--b  \r\n${head('empty')}\r\n--b\r\nX: y\r\n${head('f', '; filename="a\\"b.txt"')}\r\n--not\r\n--\r\n--b--\r\nepilogue`,
    );
    const expected = [
      { name: 'a', filename: null, body: Buffer.from('one') },
      { name: 'empty', filename: null, body: Buffer.alloc(0) },
      { name: 'f', filename: 'a"b.txt', body: Buffer.from('\r\n--not\r\n--') },
    ];
    for (let cut = 0; cut < body.length; cut++)
      assert.deepEqual(await read(body, 'b', [cut]), expected, String(cut));
    assert.deepEqual(await read(body, 'b', Array.from(body.keys())), expected);
  });

  it('may name files in RFC 8187 style', async () => {
    const [part] = await read(
      Buffer.from(
        `--b\r\n${head('f', '; filename="x"; filename*=UTF-8\'\'h%C3%A9llo-1%7E.tar.xz')}v\r\n--b--`,
      ),
      'b',
    );
    assert.equal(part?.filename, 'héllo-1~.tar.xz');
  });

  it('are refused when they are broken or too large', async () => {
    assert.equal(await status(''), 400);
    assert.equal(await status('x'.repeat(20_000)), 400);
    assert.equal(await status(`--b\r\n${head('a')}one`), 400);
    assert.equal(await status(`--b\r\n${head('a')}one\r\n--b`), 400);
    assert.equal(await status(`--bx\r\n${head('a')}one\r\n--b--`), 400);
    assert.equal(await status('--b\r\nno colon\r\n\r\nv\r\n--b--'), 400);
    assert.equal(await status('--b\r\nContent-Type: x\r\n\r\nv\r\n--b--'), 400);
    assert.equal(await status('--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nv\r\n--b--'), 400);
    assert.equal(await status(`--b\r\nContent-Transfer-Encoding: base64\r\n${head('a')}v\r\n--b--`), 400);
    assert.equal(await status(`--b\r\n${head('n'.repeat(136))}v\r\n--b--`), 413);
    assert.equal(await status(`--b\r\nX: ${'y'.repeat(9000)}\r\n${head('a')}v\r\n--b--`), 413);
    assert.equal(await status(`--b\r\nX: ${'y'.repeat(9000)}`), 413);
    assert.equal(await status(`${`--b\r\n${head('a')}v\r\n`.repeat(129)}--b--`), 413);
  });

  it('are those that another parser finds', async () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9/_-]{0,20}$/);
    const part = fc.record({
      name,
      file: fc.option(fc.stringMatching(/^[\w.~+-]{1,20}$/)),
      // Bodies that nearly hold the boundary.
      body: fc.array(
        fc.constantFrom('\r', '\n', '-', '--', 'b', '--b', '\r\n--', '\r\n--B0', 'x', '\0', 'ü'),
        { maxLength: 30 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        async (parts, cuts) => {
          const boundary = 'B0undary';
          const body = Buffer.from(
            `${parts.map(({ name, file, body }) => `--${boundary}\r\n${head(name, file === null ? '' : `; filename="${file}"`).replace('\r\n\r\n', file === null ? '\r\n\r\n' : '\r\nContent-Type: application/octet-stream\r\n\r\n')}${body.join('')}\r\n`).join('')}--${boundary}--\r\n`,
          );
          const sorted = cuts.filter(cut => cut < body.length).sort((a, b) => a - b);
          const ours = await read(body, boundary, sorted);
          const form = await new Response(body, {
            headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
          }).formData();
          const theirs = await Promise.all(
            [...form].map(async ([name, value]) => [
              name,
              typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString(),
            ]),
          );
          assert.deepEqual(
            ours.map(({ name, body }) => [name, body.toString()]),
            theirs,
          );
        },
      ),
      { seed: SEED, numRuns: scaled(20_000) },
    );
  });

  it('that are any bytes at all end in parts or a refusal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            '--b',
            '\r\n',
            '--',
            head('a'),
            'Content-Disposition: form-data; name=',
            '"',
            ';',
            ':',
            'x',
            '\0',
            '\r',
            '\n',
          ),
          { maxLength: 40 },
        ),
        async pieces => {
          await status(pieces.join(''));
        },
      ),
      { seed: SEED, numRuns: scaled(100_000) },
    );
  });
});
