/** A real Slurm for tests: started, filled with nodes and jobs in many states, asked by its own commands, stopped. */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { canListen, until } from './until.ts';

const SCRIPT = fileURLToPath(new URL('slurm.sh', import.meta.url));
const run = promisify(execFile);

export interface Slurm {
  readonly folder: string;
  readonly cluster: string;
  /** First of its 64 ports. */
  readonly base: number;
  /** `http://127.0.0.1:PORT` of slurmrestd with tokens. */
  readonly tcp: string;
  /** `unix:///PATH` of slurmrestd with local authentication. */
  readonly unix: string;
  /** Path of the key that signs tokens. */
  readonly jwtKey: string;
  /** Runs one of Slurm's commands; its standard output, trimmed. */
  ask(command: string, ...parameters: string[]): Promise<string>;
  /** Process number of a daemon, `slurmctld`, `rest-tcp`, … */
  pid(daemon: string): Promise<number>;
  /** Starts a stopped daemon again. */
  restart(daemon: 'slurmctld' | 'slurmdbd' | 'rest-tcp'): Promise<void>;
  stop(): Promise<void>;
}

export async function startSlurm(
  options: { cluster?: string; accounting?: boolean; nodes?: number; cloud?: number; states?: boolean } = {},
): Promise<Slurm> {
  const folder = await mkdtemp(join(tmpdir(), 'rwslurm-'));
  const base = await freePorts();
  const cluster = options.cluster ?? 'alpha';
  const env = {
    ...process.env,
    SLURM_CONF: join(folder, 'slurm.conf'),
    SLURM_TEST_CLUSTER: cluster,
    SLURM_TEST_PORT: String(base),
    SLURM_TEST_REAL: String(options.nodes ?? 4),
    SLURM_TEST_CLOUD: String(options.cloud ?? 100),
    SLURM_TEST_ACCOUNTING: options.accounting ? '1' : '0',
    SLURM_TEST_STATES: options.states ? '1' : '0',
  };
  const stop = async (): Promise<void> => {
    await run('bash', [SCRIPT, 'stop', folder], { env });
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    // Its daemons keep our pipes open, so the output goes to a file of theirs.
    await run('bash', ['-c', `bash '${SCRIPT}' start '${folder}' >'${folder}/start.log' 2>&1`], { env });
  } catch (error) {
    const log = await readFile(join(folder, 'start.log'), 'utf8').catch(() => '');
    await stop().catch(() => undefined);
    throw new Error(`Slurm did not start: ${log}`, { cause: error });
  }
  const pid = async (daemon: string): Promise<number> =>
    Number(await readFile(join(folder, 'pid', daemon), 'utf8'));
  const restarts = {
    slurmctld: `setsid '${folder}/bin/slurmctld' -D`,
    slurmdbd: 'setsid slurmdbd -D',
    'rest-tcp': `setsid setpriv --reuid=rackwright-rest --regid=rackwright-rest --clear-groups env SLURM_JWT=daemon slurmrestd ${options.accounting ? '' : '-s v0.0.36,v0.0.37,v0.0.38'} -a rest_auth/jwt 127.0.0.1:${base + 3}`,
  };
  return {
    folder,
    cluster,
    base,
    tcp: `http://127.0.0.1:${base + 3}`,
    unix: `unix://${join(folder, 'sockets/rest')}`,
    jwtKey: join(folder, 'state/jwt.key'),
    ask: async (command, ...parameters) =>
      (await run(command, parameters, { env, cwd: '/tmp', maxBuffer: 1 << 26 })).stdout.trim(),
    pid,
    restart: async daemon => {
      await run(
        'bash',
        [
          '-c',
          `${restarts[daemon]} >>'${folder}/log/${daemon}' 2>&1 </dev/null & echo $! >'${folder}/pid/${daemon}'`,
        ],
        { env },
      );
    },
    stop,
  };
}

/** First of sixty-four ports that are free, below all that `freePort` and the kernel give; no other Slurm gets them. */
async function freePorts(): Promise<number> {
  for (;;) {
    const base = 10_000 + 64 * randomInt(156);
    if (!(await claim(`\0rackwright-test-slurm-${base}`))) continue;
    const ports = Array.from({ length: 64 }, (_, at) => base + at);
    if ((await Promise.all(ports.map(canListen))).every(Boolean)) return base;
  }
}

/** Whether an abstract name of Linux is ours now: until this process ends, however that ends. */
function claim(name: string): Promise<boolean> {
  const server = createServer().unref();
  return new Promise(resolve => {
    server.once('error', () => resolve(false));
    server.listen(name, () => resolve(true));
  });
}

/** Fills a cluster of four real nodes with jobs and nodes in many states; resolves when they are in them. */
export async function loadSlurm(slurm: Slurm): Promise<void> {
  const submit = (...parameters: string[]): Promise<string> =>
    slurm.ask('sbatch', '--parsable', '-o', '/dev/null', ...parameters);
  await submit('-J', 'ok', '-n1', '--wrap', 'exit 0');
  await submit('-J', 'bad', '-n1', '--wrap', 'exit 3');
  await submit('-J', 'late', '-n1', '-w', 'n002', '-t', '60', '--wrap', 'sleep 3600');
  await submit('-J', 'whole', '-N1', '-n8', '-w', 'n001', '--wrap', 'sleep 3600');
  const part = await submit('-J', 'part', '-n2', '-w', 'n002', '--wrap', 'sleep 3600');
  await submit('-J', 'held', '-H', '-n1', '--wrap', 'true');
  await submit('-J', 'after', '-d', `afterok:${part}`, '-n1', '--wrap', 'true');
  await submit('-J', 'gpu', '-p', 'gpu', '-N3', '--gres=gpu:2', '-n6', '--wrap', 'sleep 3600');
  const victim = await submit('-J', 'victim', '-n1', '-w', 'n002', '--wrap', 'sleep 3600');
  const frozen = await submit('-J', 'frozen', '-n1', '-w', 'n002', '--wrap', 'sleep 3600');
  await until(async () => {
    const running = (await slurm.ask('squeue', '-h', '-t', 'R', '-o', '%j')).split('\n');
    return ['frozen', 'whole', 'late', 'part'].every(name => running.includes(name));
  });
  await until(
    async () => (await slurm.ask('squeue', '-h', '-t', 'F,CD', '-o', '%j')).split('\n').length >= 2,
  );
  await slurm.ask('scancel', victim);
  await slurm.ask('scontrol', 'suspend', frozen);
  await slurm.ask('scontrol', 'update', 'nodename=n003', 'state=drain', 'reason=disk failure');
  await slurm.ask('scontrol', 'update', 'nodename=n004', 'state=down', 'reason=no power');
  await slurm.ask('scontrol', 'update', 'nodename=c[050-052]', 'state=down', 'reason=test');
  await slurm.ask('scontrol', 'update', 'nodename=c060', 'state=fail', 'reason=test');
  await slurm.ask(
    'scontrol',
    'create',
    'reservation',
    'ReservationName=weekend',
    'StartTime=now+2days',
    'Duration=60',
    'Users=root',
    'Nodes=c070',
  );
  await until(async () => (await slurm.ask('squeue', '-h', '-t', 'CG', '-o', '%j')) === '');
}
