/** A program that publishes into reprepro or aptly again and again until its input ends; tells where the tree lies. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPeers } from './apt-peers.ts';
import { tinyDeb, writeTinyDeb } from './tiny-deb.ts';

const [which = 'reprepro'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'rw-pub-'));
const peers = openPeers();
const peer = which === 'aptly' ? peers.aptly : peers.reprepro;
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();
peer.publish([writeTinyDeb(folder, tinyDeb('hello', '0-1'))]);
process.stdout.write(`${peer.tree}\n`);
for (let version = 1; !ended; version++) {
  peer.publish([writeTinyDeb(folder, tinyDeb('hello', `${version}-1`))]);
  await new Promise(resolve => setTimeout(resolve, 20));
}
peers.close();
rmSync(folder, { recursive: true, force: true });
