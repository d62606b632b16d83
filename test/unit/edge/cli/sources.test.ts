/** The words of --sources. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../../edge/cli/exit.ts';
import { parseSource } from '../../../../edge/cli/sources.ts';

test('id and version are optional, each with its own mark', () => {
  assert.deepEqual(parseSource('dir'), { id: null, version: null, path: 'dir' });
  assert.deepEqual(parseSource('2.11~rc1@../hello'), { id: null, version: '2.11~rc1', path: '../hello' });
  assert.deepEqual(parseSource('foo#dir'), { id: 'foo', version: null, path: 'dir' });
  assert.deepEqual(parseSource('foo#1.0@/a/b'), { id: 'foo', version: '1.0', path: '/a/b' });
});

test('marks inside the path belong to the path', () => {
  assert.deepEqual(parseSource('/srv/a@b#c'), { id: null, version: null, path: '/srv/a@b#c' });
  assert.deepEqual(parseSource('1.0@/srv/a@b'), { id: null, version: '1.0', path: '/srv/a@b' });
});

test('what can be neither id nor version is refused by name', () => {
  for (const word of ['#dir', '@dir', '1 0@dir', '-x#dir', 'foo#', '1.0@']) {
    assert.throws(
      () => parseSource(word),
      (error: unknown) => error instanceof UsageError && error.message.includes(word),
      word,
    );
  }
});
