/** Update notices: what is read, what is refused, how lists are joined. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CatalogueEntry } from '../../../../workers/job.ts';
import {
  areSameNotices,
  joinNotices,
  noticesOf,
  readNotices,
  writeNotices,
} from '../../../../workers/registry/updateinfo.ts';

const notice = (id: string, arch = 'x86_64', title = 'Title'): string =>
  `<update type="security"><id>${id}</id><title>${title}</title><pkglist><collection>
  <package name="hello" epoch="0" version="1.0" release="1" arch="${arch}"/>
  <package name="other" epoch="2" version="3" release="4" arch="noarch"/></collection></pkglist></update>`;
const list = (...notices: string[]): Buffer => Buffer.from(`<updates>${notices.join('\n')}</updates>`);
const read = (text: string | Buffer) => readNotices(Buffer.from(text), 'the test');

describe('update notices', () => {
  test('are read with what they name, and written word for word', () => {
    const found = read(
      `<?xml version='1.0' encoding='utf-8'?>\n<!-- all -->\n${list(notice('A-1', 'x86_64', 'Gr&#252;&lt;&#xDF;e <![CDATA[<b>]]>'))}\n`,
    );
    assert.deepEqual(found[0]?.packages, ['hello 1.0-1 x86_64', 'other 2:3-4 noarch']);
    assert.equal(found[0]?.id, 'A-1');
    const written = writeNotices(found) ?? Buffer.alloc(0);
    assert.match(
      written.toString(),
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<updates>\n<update type="security">/,
    );
    assert.ok(areSameNotices(found, read(written)));
    assert.deepEqual(read('<updates/>'), []);
    assert.equal(writeNotices([]), null);
  });

  test('take the place of those of the same id for the same architectures', () => {
    const old = read(list(notice('A-1'), notice('A-1', 'aarch64'), notice('A-2')));
    const joined = joinNotices(old, read(list(notice('A-1', 'x86_64', 'New'), notice('A-3'))));
    assert.deepEqual(
      joined.map(one => [one.id, one.packages[0]?.split(' ')[2], one.text.includes('New')]),
      [
        ['A-1', 'x86_64', true],
        ['A-1', 'aarch64', false],
        ['A-2', 'x86_64', false],
        ['A-3', 'x86_64', false],
      ],
    );
    assert.ok(areSameNotices(joinNotices(old, old), old));
  });

  test('are chosen by the packages that they name', () => {
    const entry = { name: 'hello', version: '1.0-1', architecture: 'aarch64' } as CatalogueEntry;
    const all = read(list(notice('A-1'), notice('A-1', 'aarch64')));
    assert.deepEqual(noticesOf(all, [entry]), all.slice(1));
  });

  test('are refused, with the line, when a client could stumble over them', () => {
    const rows: [string, RegExp][] = [
      ['', /line 1: the end/],
      ['<updates>', /the end, before that of <updates>/],
      ['<feed/>', /its root is <feed>/],
      ['<updates><entry/></updates>', /<entry> stands where only <update> may/],
      ['<updates>\n<update/>\n</updates>', /notice 1 has no <id>/],
      ['<updates><update><id>x</id></updates></update>', /<\/updates> where <update> is open/],
      ['<updates>\n\n<update a="1" a="2"><id>x</id></update></updates>', /line 3: the attribute a twice/],
      ['<updates a=b/>', /line 1: what is no element/],
      ['<updates>&nbsp;</updates>', /unknown entity &nbsp;/],
      ['<updates>&#0;</updates>', /unknown entity &#0;/],
      ['<updates>&#x110000;</updates>', /unknown entity/],
      ['<updates>a & b</updates>', /unknown entity &/],
      ['<updates>]]></updates>', /"\]\]>" in a text/],
      ['<updates>\u0001</updates>', /does not allow/],
      ['<updates/><updates/>', /a second root/],
      ['<updates/>text', /text outside/],
      ['<!DOCTYPE x [<!ENTITY a "b">]><updates>&a;</updates>', /line 1: what is no element/],
      ['<updates><?php x ?></updates>', /what is no element/],
      ["<?xml version='1.0' encoding='latin1'?><updates/>", /encoding latin1/],
      [`<updates>${'<a>'.repeat(1000)}`, /only <update> may|more than 64/],
    ];
    for (const [text, why] of rows) {
      assert.throws(() => read(text), { kind: 'invalid', reason: 'bad-input', message: why }, text);
    }
    assert.throws(() => read(Buffer.from([0x3c, 0xff])), { reason: 'bad-input' });
    const deep = `<updates><update>${'<a>'.repeat(100)}`;
    assert.throws(() => read(deep), /more than 64 elements within each other/);
  });

  test('of any text end in notices or a refusal, never in anything else, and soon', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '&',
      ';',
      '"',
      "'",
      '=',
      ' ',
      'updates',
      'update',
      'id',
      '<!--',
      '-->',
      ']]>',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }), pieces => {
        try {
          read(`<updates>${pieces.join('')}`);
        } catch (error) {
          assert.equal((error as { reason?: string }).reason, 'bad-input');
        }
      }),
      { numRuns: 500 },
    );
    // Nothing that makes an expression try again and again.
    for (const text of [
      `<updates a="${'x'.repeat(1e6)}`,
      `<updates ${'a="1" '.repeat(1e5)}`,
      `<updates>${' '.repeat(1e6)}`,
      `<updates><!-${'-'.repeat(1e6)}`,
    ])
      assert.throws(() => read(text), { reason: 'bad-input' });
  });
});
