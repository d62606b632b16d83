/** A real Prometheus that scrapes one target every second. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, until } from './until.ts';

export interface Prometheus {
  readonly url: string;
  /** Result of an instant query. */
  query(text: string): Promise<readonly { metric: Record<string, string>; value: [number, string] }[]>;
  stop(): Promise<void>;
}

/**
 * Starts it for the target `HOST:PORT`, on a free port unless told; `path` is what it scrapes. `past` is OpenMetrics text
 * with times: what it shall have stored already.
 */
export async function startPrometheus(
  target: string,
  path: string,
  job: string,
  on?: number,
  past?: string,
): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'rwprometheus-'));
  const port = on ?? (await freePort());
  await writeFile(
    join(folder, 'prometheus.yml'),
    `global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n- job_name: ${job}\n  metrics_path: ${path}\n  static_configs: [{targets: ['${target}']}]\n`,
  );
  if (past !== undefined) {
    const file = join(folder, 'past.txt');
    await writeFile(file, past);
    await promisify(execFile)('promtool', [
      'tsdb',
      'create-blocks-from',
      'openmetrics',
      file,
      join(folder, 'data'),
    ]);
  }
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
  const ready = (): Promise<boolean> =>
    fetch(`${url}/-/ready`).then(
      response => response.ok,
      () => false,
    );
  await until(ready).catch(cause => {
    throw new Error('Prometheus did not start', { cause });
  });
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
