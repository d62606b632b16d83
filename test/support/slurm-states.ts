/** States of jobs and nodes of a Slurm 22.05 that `makeStates` brings about, and what squeue and sinfo say at a moment. */
import type { Slurm } from './slurm.ts';

/** By job name, the word that squeue has for it once `makeStates` is done. */
export const JOBS: Readonly<Record<string, string>> = {
  whole: 'RUNNING',
  part: 'RUNNING',
  failing: 'RUNNING',
  winner: 'RUNNING',
  held: 'PENDING',
  after: 'PENDING',
  array: 'PENDING',
  het: 'PENDING',
  planner: 'PENDING',
  completed: 'COMPLETED',
  completing: 'COMPLETING',
  cancelled: 'CANCELLED',
  frozen: 'SUSPENDED',
  stopped: 'STOPPED',
  signaled: 'SIGNALING',
  victim: 'PREEMPTED',
  failed: 'FAILED',
  timeout: 'TIMEOUT',
  lost: 'NODE_FAIL',
  // A node that power saving could not wake is a failed node to 22.05, not a failed boot.
  unwoken: 'NODE_FAIL',
  bootless: 'BOOT_FAIL',
  deadline: 'DEADLINE',
  hungry: 'OUT_OF_MEMORY',
  gpu: 'CONFIGURING',
  holder: 'CONFIGURING',
  special: 'SPECIAL_EXIT',
  orphan: 'RESV_DEL_HOLD',
  staging: 'STAGE_OUT',
  abroad: 'REVOKED',
  // States that no moment shows, though these jobs went through them: squeue has another word all the while.
  // REQUEUED ends with the epilog, and until then the word is COMPLETING.
  requeued: 'COMPLETING',
  // REQUEUE_HOLD is dropped as soon as the job is back in the queue.
  reheld: 'PENDING',
  // RESIZING is set and cleared within one request.
  resized: 'RUNNING',
};

/** By node, the words of sinfo's StateComplete once `makeStates` is done. */
export const NODES: Readonly<Record<string, string>> = {
  n001: 'allocated',
  n002: 'mixed+reboot_requested',
  n003: 'allocated+drain',
  n004: 'down',
  n005: 'idle+completing',
  n006: 'mixed',
  n007: 'idle+not_responding',
  n008: 'mixed+fail',
  n009: 'idle+drain',
  n010: 'down+drain+reboot_issued',
  bad: 'unknown+drain+invalid_reg',
  ghost: 'unknown+not_responding',
  dead1: 'down+cloud+powered_down+not_responding',
  dead2: 'idle+cloud+powered_down',
  c001: 'mixed+cloud+not_responding+powering_up',
  c004: 'allocated+cloud+not_responding+powering_up',
  c005: 'idle+cloud+powered_down+planned',
  c006: 'idle+cloud+not_responding+powering_up',
  c007: 'idle+cloud+powering_down',
  c008: 'idle+cloud+maintenance+powered_down+reserved',
  c009: 'idle+cloud+powered_down+reserved',
  c010: 'down+cloud+powered_down',
  c011: 'idle+cloud+fail+powered_down',
  c012: 'idle+cloud+drain+powered_down',
};

/** Nodes with a slurmd that the states need. */
export const REAL_NODES = 10;

/** A job as squeue shows it; an array that waits is one. */
export interface JobLine {
  readonly name: string;
  readonly word: string;
  readonly partition: string;
  readonly user: string;
}

export async function jobLines(slurm: Slurm): Promise<readonly JobLine[]> {
  const lines = await slurm.ask('squeue', '-h', '-a', '--local', '-t', 'all', '-o', '%j %T %P %u');
  return lines.split('\n').map(line => {
    const [name = '', word = '', partition = '', user = ''] = line.split(' ');
    return { name, word, partition, user };
  });
}

/** A node as sinfo shows it. */
export interface NodeLine {
  readonly name: string;
  /** `idle+cloud+powered_down` */
  readonly state: string;
  readonly cpus: { readonly allocated: number; readonly idle: number; readonly total: number };
  readonly gpus: number;
  readonly gpusUsed: number;
  readonly partitions: readonly string[];
}

export async function nodeLines(slurm: Slurm): Promise<readonly NodeLine[]> {
  const fields = ['nodelist', 'partitionname', 'statecomplete', 'cpusstate', 'gres', 'gresused'];
  const lines = await slurm.ask('sinfo', '-h', '-a', '-N', '-O', fields.map(field => `${field}:80`).join());
  const nodes = new Map<string, NodeLine>();
  for (const line of lines.split('\n')) {
    const [name = '', partition = '', state = '', cpus = '', gres = '', used = ''] = line.split(/ +/);
    const [allocated = 0, idle = 0, , total = 0] = cpus.split('/').map(Number);
    nodes.set(name, {
      ...{ name, state, cpus: { allocated, idle, total } },
      // `gpu:2`, `gpu:a100:4`, `gpu:a100:2(IDX:0-1)`
      gpus: Number(/:(\d+)$/.exec(gres)?.[1] ?? 0),
      gpusUsed: Number(/:(\d+)(?:\(|$)/.exec(used)?.[1] ?? 0),
      partitions: [...(nodes.get(name)?.partitions ?? []), partition],
    });
  }
  return [...nodes.values()];
}

/** Seconds that each job waited which has started, as scontrol has it. */
export async function waitsOf(slurm: Slurm): Promise<readonly number[]> {
  const lines = await slurm.ask('scontrol', 'show', 'job', '-o', '-a', '--local');
  return lines.split('\n').flatMap(line => {
    const field = (name: string): string => new RegExp(` ${name}=(\\S+)`).exec(line)?.[1] ?? '';
    const [eligible, started] = [Date.parse(field('EligibleTime')), Date.parse(field('StartTime'))];
    // One that ended while it waited is said to have started then, on no node.
    const never = field('StartTime') === field('EndTime') && ['', '(null)'].includes(field('NodeList'));
    const waits = field('JobState') === 'PENDING' || never || Number.isNaN(started) || Number.isNaN(eligible);
    return waits || started < eligible ? [] : [(started - eligible) / 1000];
  });
}

/** sdiag's counters of jobs: submitted, started, completed, canceled, failed. */
export async function readStatistics(slurm: Slurm): Promise<Readonly<Record<string, number>>> {
  const lines = await slurm.ask('sdiag');
  const found = lines.matchAll(/^Jobs (submitted|started|completed|canceled|failed): +(\d+)$/gm);
  return Object.fromEntries([...found].map(([, name = '', value]) => [name, Number(value)]));
}
