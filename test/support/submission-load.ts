/**
 * Clients that each submit builds, as soon as the one before is answered or at a pace, in a process of their own so that what they
 * do delays nobody's answer: `node test/support/submission-load.ts LOAD`, LOAD as JSON, prints what came of it as JSON.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import { wishFor } from './daemon.ts';
import { BOUNDARY, buildParts, multipart } from './edge-home.ts';

/** How the clients submit, or only write what a submission must write. */
export type LoadTarget =
  | { readonly by: 'grpc'; readonly socket: string }
  | { readonly by: 'rest'; readonly url: string; readonly token: string }
  | { readonly by: 'bare writes'; readonly folder: string };

export interface Load {
  readonly target: LoadTarget;
  readonly clients: number;
  readonly seconds: number;
  /** Submissions of each client a second; absent: as many as are answered. */
  readonly pace?: number;
}

export interface LoadResult {
  /** Milliseconds of each answer, from the first byte of the submission to the task's id. */
  readonly times: readonly number[];
  /** Answered ids. */
  readonly tasks: readonly string[];
  /** How many clients were refused or cut off, and so gave up. */
  readonly failed: number;
}

/** What each definition holds: as large as a small one is. */
export const DEFINITION = Buffer.alloc(4096, 'definition ');

type Submit = (artifact: string) => Promise<string>;

/** Runs the clients in a process of their own. Rejects with its words when it breaks. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(load)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', chunk => {
    said += chunk;
  });
  const code = await new Promise(resolve => child.on('close', resolve));
  if (code !== 0) throw new Error(`the load ended with ${code}`);
  return JSON.parse(said) as LoadResult;
}

async function submitAll({ target, clients, seconds, pace }: Load): Promise<LoadResult> {
  const { submit, close } = SUBMITTERS[target.by](target as never, clients);
  const times: number[] = [];
  const tasks: string[] = [];
  let failed = 0;
  const interval = pace === undefined ? 0 : 1000 / pace;
  const client = async (number: number): Promise<void> => {
    // Spread over the interval, as people and timers are.
    for (let due = end - seconds * 1000 + (number / clients) * interval; ; due += interval) {
      if (interval > 0) await sleep(Math.max(0, due - performance.now()));
      if (performance.now() >= end) return;
      const artifact = `hello-${randomUUID().slice(0, 8)}`;
      const began = performance.now();
      tasks.push(await submit(artifact));
      times.push(performance.now() - began);
    }
  };
  // Connections and code are warm before the clock starts.
  if (target.by !== 'bare writes') await Promise.all(Array.from({ length: clients }, () => submit('warm')));
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, (_, number) =>
      client(number).catch(() => {
        failed++;
      }),
    ),
  );
  await close();
  return { times, tasks, failed };
}

type Submitter<By extends LoadTarget['by']> = (
  target: Extract<LoadTarget, { by: By }>,
  clients: number,
) => { readonly submit: Submit; readonly close: () => Promise<void> | void };

const SUBMITTERS: { readonly [By in LoadTarget['by']]: Submitter<By> } = {
  grpc: ({ socket }) => {
    const connection = connect(loadProtocol(), `unix:${socket}`);
    const builds = connection.service('BuildService');
    const submit: Submit = async artifact => {
      const parts = async function* () {
        yield { request: wishOf(artifact) };
        yield { chunk: DEFINITION };
      };
      return (await builds.uploadBuild(parts(), { timeout: 600_000 })).task;
    };
    return { submit, close: () => connection.close() };
  },

  rest: ({ url, token }, connections) => {
    const pool = new Pool(url, { connections });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    };
    const submit: Submit = async artifact => {
      const body = multipart(buildParts({ artifact, tarball: DEFINITION }));
      const answer = await pool.request({ path: '/default/build', method: 'POST', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`);
      return (JSON.parse(text) as { task: string }).task;
    };
    return { submit, close: () => pool.close() };
  },

  'bare writes': ({ folder }) => {
    // The definition in a folder of its own, and what a row says, each as a plain file.
    const submit: Submit = async artifact => {
      const place = join(folder, artifact);
      await mkdir(place);
      await write(join(place, 'definition'), DEFINITION);
      await write(join(place, 'row'), Buffer.from(JSON.stringify(wishOf(artifact))));
      const entry = await open(place, 'r');
      await entry.sync();
      await entry.close();
      return artifact;
    };
    return { submit, close: () => undefined };
  },
};

async function write(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx');
  await file.writeFile(bytes);
  await file.sync();
  await file.close();
}

const wishOf = (artifact: string) =>
  wishFor(artifact, { spool: '', filename: 'definition.tar', size: DEFINITION.length, sha256: '' });

if (import.meta.main) {
  const result = await submitAll(JSON.parse(process.argv[2] ?? '') as Load);
  process.stdout.write(JSON.stringify(result));
}
