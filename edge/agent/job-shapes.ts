/** Jobs as Slurm-web's frontends expect them, whatever the upstream version calls their members. */
import {
  asBoolean,
  asNumber,
  asObject,
  asOptional,
  asText,
  asTexts,
  or,
  type Shape,
  shape,
} from './shape.ts';
import { integer, items, member, optional, type Raw, raw, states, text } from './values.ts';

const JOB_TRES: Shape = {
  tres_per_job: asText,
  tres_per_node: asText,
  tres_per_socket: asText,
  tres_per_task: asText,
};

const JOB_ROW: Shape = {
  account: asText,
  cpus: asOptional,
  gres_detail: asTexts,
  job_id: asNumber,
  job_state: object => states(object.job_state),
  name: asText,
  node_count: asOptional,
  nodes: asText,
  partition: asText,
  priority: asOptional,
  qos: asText,
  sockets_per_node: asOptional,
  state_reason: asText,
  tasks: asOptional,
  ...JOB_TRES,
  user_name: asText,
};

/** A line of `/jobs`. */
export function jobRow(value: unknown): Record<string, unknown> {
  return shape(raw(value), JOB_ROW);
}

const PAST_ROW: Shape = {
  account: asText,
  job_id: asNumber,
  name: asText,
  nodes: asText,
  partition: asText,
  priority: asOptional,
  qos: asText,
  state: object => jobState(object),
  time: object => jobTime(object),
  tres: object => jobTres(object),
  user: asText,
};

/** A line of `/jobs/past`. */
export function pastRow(value: unknown): Record<string, unknown> {
  return shape(raw(value), PAST_ROW);
}

function jobState(object: Raw): Record<string, unknown> {
  const state = raw(object.state);
  return { ...state, current: states(state.current ?? object.job_state), reason: text(state.reason) };
}

function jobTime(object: Raw): Record<string, unknown> {
  const time = raw(object.time);
  const plain = ['elapsed', 'eligible', 'end', 'start', 'submission', 'suspended'];
  return {
    ...time,
    ...Object.fromEntries(plain.map(name => [name, integer(time[name])])),
    limit: optional(time.limit),
    planned: optional(time.planned),
    system: raw(time.system),
    total: raw(time.total),
    user: raw(time.user),
  };
}

function jobTres(object: Raw): Record<string, unknown> {
  const tres = raw(member(object, 'tres'));
  return { ...tres, allocated: items(tres.allocated), requested: items(tres.requested) };
}

function exitCode(value: unknown): Record<string, unknown> {
  const code = typeof value === 'object' && value !== null ? raw(value) : { return_code: value };
  const signal = raw(code.signal);
  const bits = integer(value);
  // Old versions give wait(2)'s bits: signal in the low seven, the code above eight.
  const plain = typeof value === 'number';
  return {
    ...code,
    status: states(code.status).length > 0 ? states(code.status) : [bits === 0 ? 'SUCCESS' : 'ERROR'],
    return_code: plain ? optional(bits >> 8) : optional(code.return_code),
    signal: {
      ...signal,
      id: plain ? optional(bits & 127) : optional(signal.id ?? signal.signal_id),
      name: text(signal.name),
    },
  };
}

function step(value: unknown): Record<string, unknown> {
  const object = raw(value);
  const time = raw(object.time);
  return {
    ...object,
    state: states(object.state),
    exit_code: exitCode(object.exit_code),
    time: { ...time, start: optional(time.start), end: optional(time.end), elapsed: integer(time.elapsed) },
  };
}

const ACCOUNTING_JOB: Shape = {
  association: asObject,
  comment: asObject,
  derived_exit_code: object => exitCode(object.derived_exit_code),
  exit_code: object => exitCode(object.exit_code),
  group: asText,
  name: asText,
  nodes: asText,
  partition: asText,
  priority: asOptional,
  qos: asText,
  script: asText,
  state: jobState,
  steps: object => items(object.steps).map(step),
  stderr: asText,
  stderr_expanded: or(asText, 'standard_error'),
  stdout: asText,
  stdout_expanded: or(asText, 'standard_output'),
  submit_line: asText,
  time: jobTime,
  tres: jobTres,
  used_gres: asText,
  user: asText,
  wckey: object =>
    typeof object.wckey === 'object' ? raw(object.wckey) : { wckey: text(object.wckey), flags: [] },
  working_directory: asText,
};

const CONTROLLER_JOB: Shape = {
  accrue_time: asOptional,
  batch_flag: asBoolean,
  command: asText,
  cpus: asOptional,
  current_working_directory: asText,
  gres_detail: asTexts,
  last_sched_evaluation: asOptional,
  node_count: asOptional,
  partition: asText,
  shared: object => (Array.isArray(object.shared) ? states(object.shared) : [text(object.shared) || 'none']),
  sockets_per_node: asOptional,
  stderr_expanded: or(asText, 'standard_error'),
  stdin_expanded: or(asText, 'standard_input'),
  stdout_expanded: or(asText, 'standard_output'),
  tasks: asOptional,
  ...JOB_TRES,
  tres_req_str: asText,
};

/** The part of a job that accounting knows, or that is worked out of the controller's for sites without accounting. */
export function accountingJob(
  accounting: unknown,
  controller: unknown,
  now: number,
): Record<string, unknown> {
  const live = raw(controller);
  const record = shape(accounting === null ? fromController(live, now) : raw(accounting), ACCOUNTING_JOB);
  // Accounting calls a job "allocation" until its record is whole.
  return controller === null ? record : { ...record, name: text(live.name) };
}

/** The part that the controller alone knows, or knows better. */
export function controllerJob(controller: unknown): Record<string, unknown> {
  return shape(raw(controller), CONTROLLER_JOB);
}

/** The accounting record's shape out of what the controller knows, for sites without accounting. */
function fromController(job: Raw, now: number): Raw {
  return {
    ...job,
    association: {
      account: text(job.account),
      cluster: text(job.cluster),
      partition: '',
      user: text(job.user_name),
    },
    comment: {
      administrator: text(job.admin_comment),
      job: text(job.comment),
      system: text(job.system_comment),
    },
    group: text(job.group_name) || text(job.group_id),
    state: { current: states(job.job_state), reason: text(job.state_reason) },
    time: {
      ...lifeSoFar(job, now),
      eligible: job.eligible_time,
      submission: job.submit_time,
      // In minutes, as accounting has it.
      limit: optional(job.time_limit),
      planned: null,
    },
    tres: { allocated: tresList(text(job.tres_alloc_str)), requested: tresList(text(job.tres_req_str)) },
    user: text(job.user_name),
    working_directory: text(job.current_working_directory),
  };
}

/** States of a job that waits, and of one that is under way; any other has ended. */
const WAITING = ['PENDING', 'REQUEUED', 'REQUEUE_FED', 'REQUEUE_HOLD', 'RESV_DEL_HOLD', 'SPECIAL_EXIT'];
const UNDER_WAY = ['RUNNING', 'SUSPENDED', 'CONFIGURING', 'RESIZING', 'SIGNALING', 'STOPPED'];

/**
 * Start, end and seconds of work as accounting has them: nothing that lies ahead. The controller tells when a waiting
 * job is expected to start, and when one under way must have ended.
 */
function lifeSoFar(job: Raw, now: number): Raw {
  const words = states(job.job_state);
  const [start, end] = [integer(job.start_time), integer(job.end_time)];
  if (start <= 0 || words.some(word => WAITING.includes(word))) return { start: 0, end: 0, elapsed: 0 };
  if (!words.some(word => UNDER_WAY.includes(word))) {
    return { start, end, elapsed: Math.max(0, end - start) };
  }
  // As squeue counts: what was done before the last suspension or resumption, and the time since the latter.
  const [done, changed] = [integer(job.pre_sus_time), integer(job.suspend_time)];
  const since = changed > 0 ? changed : start;
  const running = words.includes('SUSPENDED') ? 0 : Math.max(0, Math.floor(now) - since);
  return { start, end: 0, elapsed: done + running };
}

/** `cpu=2,mem=4G,gres/gpu=1` as a list; what has a unit is left out of `count`. */
function tresList(words: string): readonly Raw[] {
  return words
    .split(',')
    .filter(item => item.includes('='))
    .map(item => {
      const [name = '', count = ''] = item.split('=');
      const [type = '', rest = ''] = name.split('/');
      return { type, name: rest, count: tresCount(type, count), id: 0 };
    });
}

/** Memory in MB, as accounting has it; others as they stand. */
function tresCount(type: string, count: string): number {
  const match = /^(\d+(?:\.\d+)?)([KMGTP]?)$/.exec(count);
  if (!match) return 0;
  const power = 'KMGTP'.indexOf(match[2] ?? '');
  const plain = Number(match[1]);
  return type === 'mem' && match[2] ? Math.round(plain * 1024 ** (power - 1)) : plain;
}
