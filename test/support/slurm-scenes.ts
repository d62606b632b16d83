/** Brings jobs and nodes of a real Slurm 22.05 into every state that its commands can make. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Slurm } from './slurm.ts';
import { JOBS, type JobLine, jobLines, NODES, type NodeLine, nodeLines } from './slurm-states.ts';
import { until as patiently } from './until.ts';

/** Asks more than its 10 MB, as fast as it can. */
const HUNGRY = "exec /usr/bin/python3 -c 'x = bytearray(300 << 20); import time; time.sleep(3600)'";

/** slurmctld itself takes half a minute to look at time limits, and a slow machine has much to do besides. */
const until = (holds: () => Promise<boolean>): Promise<void> => patiently(holds, 600_000);

/** Whether the host lets Slurm 22.05 limit memory: its step says "out of memory" by control groups only. */
export const canRunOut = (slurm: Slurm): Promise<boolean> =>
  slurm.pid(memoryNode(slurm)).then(
    () => true,
    () => false,
  );

const memoryNode = (slurm: Slurm): string => `slurmd.m${slurm.base}`;

/** For a cluster that was started with `states`. Resolves when every job and node is in its state. */
export async function makeStates(slurm: Slurm): Promise<void> {
  const jobs = await submit(slurm);
  await disturb(slurm, jobs);
  await Promise.all([powerNodes(slurm), federate(slurm)]);
  const others = Object.keys(JOBS).filter(name => name !== 'signaled');
  await until(() => areMade(slurm, others));
  // What a stopped daemon does not confirm is under way: until it is asked for too long, so this comes last.
  process.kill(await slurm.pid('slurmd.n006'), 'SIGSTOP');
  await slurm.ask('scancel', '-s', 'STOP', jobs.get('signaled') ?? '');
  await until(async () => isMade(slurm, await jobLines(slurm), await nodeLines(slurm)));
}

/** Whether jobs and nodes have the words that they shall end with. */
export async function isMade(
  slurm: Slurm,
  jobs: readonly JobLine[],
  nodes: readonly NodeLine[],
): Promise<boolean> {
  return (
    (await areMade(slurm, Object.keys(JOBS), jobs)) &&
    nodes.every(({ name, state }) => NODES[name] === undefined || NODES[name] === state)
  );
}

/** Whether jobs have the words that they shall end with; one that this host can't make counts as well. */
async function areMade(slurm: Slurm, names: readonly string[], known?: readonly JobLine[]): Promise<boolean> {
  const jobs = known ?? (await jobLines(slurm));
  const possible = (await canRunOut(slurm)) ? names : names.filter(name => name !== 'hungry');
  return possible.every(name => {
    const words = jobs.filter(job => job.name === name).map(job => job.word);
    return words.length > 0 && words.every(word => word === JOBS[name]);
  });
}

async function wordOf(slurm: Slurm, name: string): Promise<string> {
  return (await jobLines(slurm)).find(job => job.name === name)?.word ?? '';
}

/** Lets go whatever was made to wait, so that the cluster can stop. */
export async function unmakeStates(slurm: Slurm): Promise<void> {
  rmSync(join(slurm.folder, 'wait'), { recursive: true, force: true });
  for (const node of ['n006', 'n007']) process.kill(await slurm.pid(`slurmd.${node}`), 'SIGCONT');
}

type Jobs = ReadonlyMap<string, string>;

/** Submits every job; resolves with their numbers when those that run do. */
async function submit(slurm: Slurm): Promise<Jobs> {
  const numbers = new Map<string, string>();
  const add = async (name: string, ...parameters: string[]): Promise<void> => {
    const words = ['--parsable', '-o', '/dev/null', '-J', name, ...parameters];
    numbers.set(name, await slurm.ask('sbatch', ...words));
  };
  const sleep = ['--wrap', 'sleep 3600'];
  const on = (node: string, cpus: number): string[] => ['-w', node, '-N1', `-n${cpus}`, ...sleep];
  await add('whole', ...on('n001', 8));
  for (const name of ['part', 'frozen', 'stopped']) await add(name, ...on('n002', 1));
  await add('resized', '-w', 'n002,n009', '-N2', ...sleep);
  await add('victim', '-p', 'low', ...on('n003', 8));
  await add('lost', '--no-requeue', ...on('n004', 1));
  await add('completing', '-H', '-w', 'n005', '-n1', '--wrap', 'true');
  await add('requeued', ...on('n005', 1));
  await add('signaled', ...on('n006', 1));
  await add('failing', ...on('n008', 1));
  for (const name of ['cancelled', 'timeout', 'special', 'reheld']) await add(name, ...on('n007', 1));
  await add('bootless', '--no-requeue', ...on('n007', 1));
  await add('completed', '-n1', '-w', 'n007', '--wrap', 'true');
  await add('failed', '-n1', '-w', 'n007', '--wrap', 'exit 3');
  await add('held', '-H', '-n1', '--wrap', 'true');
  await add('after', '-d', `afterok:${numbers.get('whole')}`, '-n1', '--wrap', 'true');
  await add('array', '-H', '-a', '1-5', '-n1', '--wrap', 'true');
  await slurm.ask('sbatch', '-J', 'het', '-H', '-n1', ':', '-n1', '--wrap', 'true');
  await add('deadline', '-w', 'n001', '-n8', '-t', '1', '--deadline=now+1hour', '--wrap', 'true');
  await add('gpu', '-p', 'gpu', '-w', 'c[001-003]', '-N3', '-n6', '--gres=gpu:2', ...sleep);
  await add('holder', '-p', 'gpu', '-w', 'c004', '--exclusive', '-t', '60', ...sleep);
  await add('unwoken', '-p', 'boot', '-w', 'dead1', '--no-requeue', '-n1', ...sleep);
  if (await canRunOut(slurm)) {
    await add('hungry', '-p', 'odd', '-w', `m${slurm.base}`, '-n1', '--mem=10M', '--wrap', HUNGRY);
  }
  const waiting = ['held', 'after', 'array', 'het', 'deadline', 'completing'];
  await until(async () => {
    const pending = (await jobLines(slurm)).filter(job => job.word === 'PENDING');
    return pending.every(job => waiting.includes(job.name));
  });
  return numbers;
}

/** Does to each job what brings it into its state. */
async function disturb(slurm: Slurm, jobs: Jobs): Promise<void> {
  const job = (name: string): string => jobs.get(name) ?? '';
  const control = (...words: string[]): Promise<string> => slurm.ask('scontrol', ...words);
  const wait = (name: string): void => writeFileSync(join(slurm.folder, 'wait', name), '');
  wait(job('completing'));
  wait(job('requeued'));
  await control('release', job('completing'));
  await until(async () => (await wordOf(slurm, 'completing')) === 'COMPLETING');
  await control('requeue', job('requeued'));
  await control('requeuehold', job('reheld'));
  await control('requeuehold', 'State=SpecialExit', job('special'));
  await slurm.ask('scancel', job('cancelled'));
  await control('suspend', job('frozen'));
  await slurm.ask('scancel', '-s', 'STOP', job('stopped'));
  // Later than now: whole seconds, which slurmctld compares with its own when it comes to them.
  await control('update', `JobId=${job('timeout')}`, 'EndTime=now+10');
  await control('update', `JobId=${job('deadline')}`, 'Deadline=now+30');
  await control('update', `JobId=${job('resized')}`, 'NumNodes=1');
  await failBoot(slurm, job('bootless'));
  await slurm.ask(
    'sbatch',
    '-J',
    'winner',
    '-p',
    'high',
    '-w',
    'n003',
    '-n8',
    '-o',
    '/dev/null',
    '--wrap',
    'sleep 3600',
  );
  await slurm.ask(
    'sbatch',
    '-J',
    'planner',
    '-p',
    'gpu',
    '-w',
    'c[004-005]',
    '-N2',
    '--exclusive',
    '-t',
    '60',
    '--wrap',
    'true',
  );
  await until(async () => (await wordOf(slurm, 'winner')) === 'RUNNING');
  await orphan(slurm);
  await stageOut(slurm);
}

/**
 * What slurmd tells slurmctld when it could not set a node's features up: the only source of BOOT_FAIL in 22.05, for which
 * no command exists. Through Slurm's own library, with JOB_RECONFIG_FAIL of slurm.h.
 */
async function failBoot(slurm: Slurm, job: string): Promise<void> {
  const linked = await slurm.ask('bash', '-c', 'ldd "$(command -v squeue)"');
  const library = /libslurmfull\S* => (\S+)/.exec(linked)?.[1];
  if (library === undefined) throw new Error(`squeue is linked to no libslurmfull: ${linked}`);
  const lines = [
    'import ctypes',
    `slurm = ctypes.CDLL(${JSON.stringify(library)}, mode=ctypes.RTLD_GLOBAL)`,
    'slurm.slurm_init(None)',
    `slurm.slurm_requeue(${job}, 0x20000)`,
  ];
  await slurm.ask('/usr/bin/python3', '-c', lines.join('\n'));
}

/** A job whose reservation ends before it began. */
async function orphan(slurm: Slurm): Promise<void> {
  const update = (verb: string, ...words: string[]): Promise<string> =>
    slurm.ask('scontrol', verb, 'reservation', 'ReservationName=brief', ...words);
  await update('create', 'StartTime=now+1hour', 'Duration=60', 'Users=root', 'Nodes=c020');
  const words = ['-J', 'orphan', '-p', 'gpu', '--reservation=brief', '-n1', '--begin=now+1hour'];
  await slurm.ask('sbatch', '-o', '/dev/null', ...words, '--wrap', 'true');
  await update('update', 'StartTime=now', 'EndTime=now+1');
}

/** A job whose burst buffer is copied back; root may not have one. */
async function stageOut(slurm: Slurm): Promise<void> {
  writeFileSync(join(slurm.folder, 'wait', 'stage'), '');
  const script = join(slurm.folder, 'stage.sh');
  writeFileSync(script, '#!/bin/sh\n#BB_LUA a buffer\nexit 0\n', { mode: 0o755 });
  await slurm.ask(
    'sbatch',
    '--uid=nobody',
    '-D',
    '/tmp',
    '-o',
    '/dev/null',
    '-J',
    'staging',
    '-n1',
    '-w',
    'n002',
    script,
  );
}

async function powerNodes(slurm: Slurm): Promise<void> {
  const set = (node: string, state: string): Promise<string> =>
    slurm.ask('scontrol', 'update', `nodename=${node}`, `state=${state}`, 'reason=test');
  await until(async () => (await wordOf(slurm, 'resized')) === 'RUNNING');
  await set('n004', 'down');
  await set('n003', 'drain');
  await set('n009', 'drain');
  await set('n008', 'fail');
  await set('ghost', 'noresp');
  await set('c010', 'down');
  await set('c011', 'fail');
  await set('c012', 'drain');
  await set('c[006-007]', 'power_up');
  await slurm.ask('scontrol', 'reboot', 'n002');
  await slurm.ask('scontrol', 'reboot', 'ASAP', 'n010');
  const reserve = (name: string, ...words: string[]): Promise<string> =>
    slurm.ask('scontrol', 'create', 'reservation', `ReservationName=${name}`, 'Users=root', ...words);
  await reserve('maintained', 'StartTime=now', 'Duration=60', 'Nodes=c008', 'Flags=maint');
  await reserve('taken', 'StartTime=now', 'Duration=60', 'Nodes=c009');
  await until(async () =>
    /powering_up/.test((await nodeLines(slurm)).find(node => node.name === 'c007')?.state ?? ''),
  );
  await set('c007', 'power_down_force');
  const before = ['cancelled', 'timeout', 'special', 'reheld', 'bootless', 'completed', 'failed'];
  await until(() => areMade(slurm, before));
  // slurmctld asks again now and then, and would hear that the node is well.
  process.kill(await slurm.pid('slurmd.n007'), 'SIGSTOP');
  await set('n007', 'noresp');
}

/** A job that another cluster of a federation has started. */
async function federate(slurm: Slurm): Promise<void> {
  await slurm.ask('sacctmgr', '-i', 'add', 'federation', 'test', 'clusters=alpha,beta');
  await until(async () => /beta/.test(await slurm.ask('scontrol', 'show', 'federation')));
  await slurm.ask('sbatch', '-J', 'abroad', '-p', 'away', '-n1', '-o', '/dev/null', '--wrap', 'true');
}
