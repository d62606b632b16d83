/** The real edge as a process of its own beside a running daemon. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Home } from './daemon.ts';

const MAIN = fileURLToPath(new URL('../../edge/main.ts', import.meta.url));

export interface EdgeProcess {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts it on a free port. Rejects when it ends before it listens. */
export async function startEdge(home: Home): Promise<EdgeProcess> {
  const child = spawn(process.execPath, [MAIN, '--home', home.path, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [, found] = /^listening (http:\S+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error('the edge ended before it listened')));
  });
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
