/** A program that publishes to the apt and dnf registries of `site` again and again until its input ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import { DEB, RPM } from './registry-pair.ts';
import { makeRpm } from './rpms.ts';
import type { Place } from './site.ts';
import { tinyDeb, writeTinyDeb } from './tiny-deb.ts';

/** Publications after which it is quiet for so many milliseconds, so that what is done in quiet comes in between. */
const [BURST, QUIET] = [25, 1500];

// registry-changer.ts SOCKET FORMAT...; a line for each publication: deb or rpm
const [socket = '', ...formats] = process.argv.slice(2);
const connection = connect(loadProtocol(), `unix:${socket}`);
const registry = connection.service('RegistryService');
const tasks = connection.service('TaskService');
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();

async function publish(place: Place, fill: (folder: string) => void): Promise<void> {
  const source = mkdtempSync(join(tmpdir(), 'rw-change-'));
  try {
    fill(source);
    const { task: id } = await registry.importArtifacts({ place, source });
    for (;;) {
      const { task } = await tasks.getTask({ instance: 'site', task: id });
      if (task?.state === 'TASK_STATE_FINISHED') {
        if (task.result !== 'TASK_RESULT_SUCCESS') throw new Error(`${task.name}: ${task.reason}`);
        break;
      }
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    process.stdout.write(`${place.format}\n`);
  } finally {
    rmSync(source, { recursive: true });
  }
}

async function again(work: (version: number) => Promise<void>): Promise<void> {
  for (let version = 10; !ended; version++) {
    await work(version);
    if (version % BURST === 0) await new Promise(resolve => setTimeout(resolve, QUIET));
  }
}

const deb = (version: number): Promise<void> =>
  publish(DEB, folder => writeTinyDeb(folder, tinyDeb('hello', `${version}-1`)));
const rpm = (version: number): Promise<void> =>
  publish(RPM, folder => makeRpm(folder, { name: 'tool', version: String(version) }));
await Promise.all(formats.map(format => again(format === 'deb' ? deb : rpm)));
connection.close();
