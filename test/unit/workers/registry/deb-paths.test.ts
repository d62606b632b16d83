/** Where Debian packages lie: an entry that moves names its new place, and nothing else of it changes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CatalogueEntry } from '../../../../workers/job.ts';
import { moveTo } from '../../../../workers/registry/deb-paths.ts';

/** An entry whose description looks like the field that names its place, to who takes every separator for a line's end. */
function entryOf(architecture: string, field: string): CatalogueEntry {
  const description = `Description: a\u2028${field}: evil\n b\u2029${field}: evil\n`;
  return {
    ...{ row: 0, format: 'deb', distribution: 'bookworm', derivative: 'main', architecture },
    ...{ name: 'a', version: '1', size: 1, source: null, changelog: [], content: [], published: 0, task: '' },
    files: [{ path: 'pool/main/a/a/a_1', size: 1, sha256: '00' }],
    stanza: `Package: a\n${description}${field}: pool/main/a/a/a_1\nSize: 1\n`,
  };
}

describe('an entry that moves', () => {
  for (const [architecture, field, place] of [
    ['noarch', 'Filename', 'pool/extra/a/a/a_1'],
    ['src', 'Directory', 'pool/extra/a/a'],
  ] as const) {
    test(`has its place in the field ${field}, whatever its description says`, () => {
      const entry = entryOf(architecture, field);
      const moved = moveTo({ entry, files: [{ ...entry.files[0], staged: null } as never] }, path =>
        path.replace('main', 'extra'),
      );
      const lines = moved.entry.stanza.split('\n');
      assert.deepEqual(lines.slice(0, 3), entry.stanza.split('\n').slice(0, 3));
      assert.deepEqual(lines.slice(3), [`${field}: ${place}`, 'Size: 1', '']);
    });
  }
});
