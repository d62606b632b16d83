/** Files that land together: named once all are durable, none when something failed, and as often as is asked. */
import assert from 'node:assert/strict';
import { linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { linkFile } from '../../../workers/registry/disk.ts';
import { Landing } from '../../../workers/registry/landing.ts';

/** Names that a file can have on ext4 (EXT4_LINK_MAX); on most others more. */
const MAX_NAMES = 65_000;

describe('a landing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rw-landing-'));
  const [waiting, named, links] = ['waiting', 'named', 'links'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [waiting, named, links]) mkdirSync(path);
  after(() => rmSync(folder, { recursive: true, force: true }));
  const bytes = (text: string): Buffer[] => [Buffer.from(text)];

  test('gives no name before all land, and then each', async () => {
    const landing = new Landing(waiting, 'one');
    landing.put(join(named, 'a'), bytes('a'));
    landing.put(join(named, 'b'), bytes('b'));
    landing.put(join(named, 'a'), bytes('a'));
    assert.deepEqual(readdirSync(named), []);
    assert.equal(readFileSync(landing.find(join(named, 'b')), 'utf8'), 'b');
    await landing.land();
    await landing.drop();
    assert.deepEqual(readdirSync(named), ['a', 'b']);
    assert.deepEqual(readdirSync(waiting), []);
    assert.equal(readFileSync(landing.find(join(named, 'b')), 'utf8'), 'b');
  });

  test('leaves nothing when it is dropped', async () => {
    const landing = new Landing(waiting, 'two');
    landing.put(join(named, 'c'), bytes('c'));
    await landing.drop();
    assert.deepEqual(readdirSync(named), ['a', 'b']);
    assert.deepEqual(readdirSync(waiting), []);
  });

  test('replaces what has other content than its name says', async () => {
    const landing = new Landing(waiting, 'three');
    landing.put(join(named, 'a'), bytes('whole again'));
    await landing.land();
    assert.equal(readFileSync(join(named, 'a'), 'utf8'), 'whole again');
  });

  test('gives a file further names when it has as many as it can have', async () => {
    const name = join(named, 'b');
    for (let at = 1; at < MAX_NAMES; at++) linkSync(name, join(links, String(at)));
    linkFile(name, folder, 'copy');
    assert.equal(readFileSync(join(folder, 'copy'), 'utf8'), 'b');
    const landing = new Landing(waiting, 'four');
    for (const further of ['x', 'y']) landing.link(name, join(folder, further));
    await landing.land();
    for (const path of [name, join(folder, 'x'), join(folder, 'y'), join(links, '1')]) {
      assert.equal(readFileSync(path, 'utf8'), 'b');
    }
    assert.equal(lstatSync(name).ino, lstatSync(join(folder, 'y')).ino);
  });
});
