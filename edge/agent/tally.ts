/** Counts nodes, cores, GPUs and jobs by state as they stream in: what the metrics and the statistics are made of. */
import { countGpus } from './gres.ts';
import { integer, number, optional, type Raw, raw, states, text, texts } from './values.ts';

/** Node classes in order of precedence; the first found among a node's flags counts, else `unknown`. */
const NODE_PRECEDENCE = ['ERROR', 'FAIL', 'MIXED', 'ALLOCATED', 'DOWN', 'DRAIN', 'IDLE'] as const;
export const NODE_STATES = [
  'idle',
  'mixed',
  'allocated',
  'drain',
  'down',
  'error',
  'fail',
  'unknown',
] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** Job states in order of precedence, `unknown` last. */
export const JOB_STATES = [
  'running',
  'pending',
  'completing',
  'completed',
  'cancelled',
  'suspended',
  'preempted',
  'failed',
  'timeout',
  'node_fail',
  'boot_fail',
  'deadline',
  'out_of_memory',
  'unknown',
] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Bounds of the wait-time histogram, in seconds: from "at once" to a week. */
export const WAIT_BUCKETS = [1, 10, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800] as const;

/** Most partitions, GPU types and users that are told apart; what is more is counted together as `other`. */
const MAX_PARTITIONS = 500;
const MAX_GPU_TYPES = 100;

type Counts<State extends string> = Record<State, number>;

interface GpuTypeCounts {
  idle: number;
  allocated: number;
  total: number;
}

export interface Tally {
  readonly nodes: Counts<NodeState>;
  readonly cores: Counts<NodeState>;
  readonly gpus: Counts<NodeState>;
  readonly jobs: Counts<JobState>;
  nodesTotal: number;
  coresTotal: number;
  gpusTotal: number;
  jobsTotal: number;
  /** MB, as Slurm counts memory. */
  memoryTotal: number;
  readonly partitionNodes: Map<string, Counts<NodeState>>;
  readonly partitionJobs: Map<string, Counts<JobState>>;
  readonly userJobs: Map<string, Counts<JobState>>;
  readonly gpuTypes: Map<string, GpuTypeCounts>;
  /** Waits of started jobs, a count for each bucket of WAIT_BUCKETS and one for more. */
  readonly waits: { readonly buckets: number[]; sum: number; count: number };
  /** GRES texts that could not be read, a few of them. */
  readonly unreadableGres: Set<string>;
}

export function emptyTally(): Tally {
  return {
    nodes: zeros(NODE_STATES),
    cores: zeros(NODE_STATES),
    gpus: zeros(NODE_STATES),
    jobs: zeros(JOB_STATES),
    nodesTotal: 0,
    coresTotal: 0,
    gpusTotal: 0,
    jobsTotal: 0,
    memoryTotal: 0,
    partitionNodes: new Map(),
    partitionJobs: new Map(),
    userJobs: new Map(),
    gpuTypes: new Map(),
    waits: { buckets: Array<number>(WAIT_BUCKETS.length + 1).fill(0), sum: 0, count: 0 },
    unreadableGres: new Set(),
  };
}

function zeros<const S extends string>(words: readonly S[]): Counts<S> {
  return Object.fromEntries(words.map(word => [word, 0])) as Counts<S>;
}

/** The class a node counts in. */
export function nodeClass(flags: readonly string[]): NodeState {
  return (NODE_PRECEDENCE.find(flag => flags.includes(flag))?.toLowerCase() ?? 'unknown') as NodeState;
}

/** The state a job counts in. */
export function jobClass(flags: readonly string[]): JobState {
  return JOB_STATES.find(state => flags.includes(state.toUpperCase())) ?? 'unknown';
}

/** CPUs of a node that nothing runs on. */
export function idleCpus(node: Raw): number {
  for (const name of ['alloc_idle_cpus', 'idle_cpus']) {
    const idle = optional(node[name]);
    if (idle.set) return idle.number;
  }
  return Math.max(0, integer(node.cpus) - integer(node.alloc_cpus));
}

export function addNode(tally: Tally, value: unknown): void {
  const node = raw(value);
  const flags = states(node.state, node.state_flags);
  const state = nodeClass(flags);
  const cpus = integer(node.cpus);
  tally.nodes[state]++;
  tally.nodesTotal++;
  tally.coresTotal += cpus;
  tally.memoryTotal += integer(node.real_memory);
  if (state === 'mixed') {
    tally.cores.allocated += integer(node.alloc_cpus);
    tally.cores.idle += idleCpus(node);
  } else tally.cores[state] += cpus;
  addGpus(tally, node, state);
  for (const partition of texts(node.partitions)) {
    const counts = slot(tally.partitionNodes, partition, MAX_PARTITIONS, () => zeros(NODE_STATES));
    counts[state]++;
  }
}

function addGpus(tally: Tally, node: Raw, state: NodeState): void {
  const all = countGpus(text(node.gres));
  const used = state === 'mixed' || state === 'allocated' ? countGpus(text(node.gres_used)) : null;
  const allocated = used ? Math.min(used.total, all.total) : 0;
  tally.gpusTotal += all.total;
  if (used) {
    tally.gpus.allocated += allocated;
    tally.gpus.idle += all.total - allocated;
  } else tally.gpus[state] += all.total;
  for (const [type, total] of all.types) {
    const counts = slot(tally.gpuTypes, type, MAX_GPU_TYPES, () => ({ idle: 0, allocated: 0, total: 0 }));
    const busy = Math.min(used?.types.get(type) ?? 0, total);
    counts.total += total;
    counts.allocated += busy;
    if (used || state === 'idle') counts.idle += total - busy;
  }
  for (const odd of [...all.unreadable, ...(used?.unreadable ?? [])]) {
    if (tally.unreadableGres.size < 20) tally.unreadableGres.add(odd);
  }
}

/** Counts a job; `users` is how many users are told apart, 0 for none. */
export function addJob(tally: Tally, value: unknown, users: number): void {
  const job = raw(value);
  const state = jobClass(states(job.job_state ?? job.state));
  tally.jobs[state]++;
  tally.jobsTotal++;
  // `debug,batch`: a job that waits for whichever has room first is in the queue of each.
  for (const partition of new Set(texts(job.partition))) {
    slot(tally.partitionJobs, partition, MAX_PARTITIONS, () => zeros(JOB_STATES))[state]++;
  }
  const user = text(job.user_name);
  if (users > 0 && user !== '') slot(tally.userJobs, user, users, () => zeros(JOB_STATES))[state]++;
  const started = number(job.start_time);
  const eligible = number(job.eligible_time) || number(job.submit_time);
  // A pending job's start time is the scheduler's guess.
  if (state === 'pending' || started <= 0 || eligible <= 0 || started < eligible) return;
  // One that was cancelled, or met its deadline, while it waited "starts" when it ends, on no node.
  if (text(job.nodes) === '' && started === number(job.end_time)) return;
  const wait = started - eligible;
  const bucket = WAIT_BUCKETS.findIndex(bound => wait <= bound);
  const at = bucket < 0 ? WAIT_BUCKETS.length : bucket;
  tally.waits.buckets[at] = (tally.waits.buckets[at] ?? 0) + 1;
  tally.waits.sum += wait;
  tally.waits.count++;
}

/** The entry of a key, `other` once there are too many keys. */
function slot<V>(map: Map<string, V>, key: string, most: number, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const name = map.size < most ? key : 'other';
  const entry = map.get(name) ?? make();
  map.set(name, entry);
  return entry;
}
