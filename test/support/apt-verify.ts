/** A whole registry through the eyes of apt: indexes, signatures and every file that they list. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AptClient } from './apt-client.ts';

/**
 * Updates and fetches all packages and sources that are listed, which apt checks against signature and digests; answers
 * `NAME VERSION` of the packages, sorted. Throws what apt complains of.
 */
export async function verifyWithApt(apt: AptClient): Promise<string[]> {
  const run = async (tool: 'apt-get' | 'apt-cache', ...words: string[]): Promise<string> => {
    const { code, output } = await apt.run(tool, ...words);
    assert.equal(code, 0, `${tool} ${words.join(' ')}: ${output}`);
    assert.doesNotMatch(output, /^[WE]:/m);
    return output;
  };
  await run('apt-get', 'update');
  const found = listed(await run('apt-cache', 'dumpavail'));
  await run('apt-get', 'download', ...found.map(({ name, version }) => `${name}=${version}`));
  // Imported packages have no source here.
  const sources = await apt.run('apt-cache', 'showsrc', ...found.map(({ name }) => name));
  for (const { name, version } of listed(sources.output)) {
    await run('apt-get', 'source', '--download-only', `${name}=${version}`);
  }
  const downloads = join(apt.folder, 'download');
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
  return found.map(({ name, version }) => `${name} ${version}`).sort();
}

function listed(text: string): { name: string; version: string }[] {
  return [...text.matchAll(/^Package: (\S+)\n(?:.+\n)*?Version: (\S+)$/gm)].map(
    ([, name = '', version = '']) => ({ name, version }),
  );
}
