/** A real Prometheus that scrapes one target every second. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Prometheus {
  readonly url: string;
  /** Result of an instant query. */
  query(text: string): Promise<readonly { metric: Record<string, string>; value: [number, string] }[]>;
  stop(): Promise<void>;
}

/** Starts it for the target `HOST:PORT`, on a free port unless told; `path` is what it scrapes. */
export async function startPrometheus(
  target: string,
  path: string,
  job: string,
  on?: number,
): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'rwprometheus-'));
  const port = on ?? (await freePort());
  await writeFile(
    join(folder, 'prometheus.yml'),
    `global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n- job_name: ${job}\n  metrics_path: ${path}\n  static_configs: [{targets: ['${target}']}]\n`,
  );
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    const ready = await fetch(`${url}/-/ready`).then(
      response => response.ok,
      () => false,
    );
    if (ready) break;
    if (tries > 200) throw new Error('Prometheus did not start');
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  return {
    url,
    query: async text => {
      const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: text })}`);
      const answer = (await response.json()) as { data: { result: [] } };
      return answer.data.result;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
