/**
 * A scripted slurmrestd: answers in the form of a real one of Slurm 22.05, scaled to any size, and misbehaves on demand.
 * The records are shaped after those of a real daemon, every member that it sends included.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the next answers go wrong; null for right ones. */
export type Trouble =
  | 'garbage'
  | 'half'
  | 'hang'
  | 'reset'
  | 'refused'
  | 'error'
  | 'unauthorized'
  | 'errors'
  | 'empty'
  | 'html'
  | null;

export interface ScriptedSlurmrestd {
  readonly url: string;
  trouble: Trouble;
  /** Requests by path without query. */
  readonly asked: Map<string, number>;
  /** Connections that are open now. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

const NODE_STATES = ['idle', 'mixed', 'allocated', 'down', 'idle'];
const JOB_STATES = [
  'RUNNING',
  'PENDING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'COMPLETING',
  'TIMEOUT',
  'RUNNING',
];

export async function scriptedSlurmrestd(size: { nodes: number; jobs: number }): Promise<ScriptedSlurmrestd> {
  const asked = new Map<string, number>();
  const server = createServer((request, reply) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    if (scripted.trouble !== null) misbehave(scripted.trouble, request, reply);
    else answer(path, size, reply);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const scripted: ScriptedSlurmrestd = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trouble: null,
    asked,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
  return scripted;
}

const META = {
  plugin: { type: 'openapi/v0.0.38', name: 'Slurm OpenAPI v0.0.38' },
  Slurm: { version: { major: 22, micro: 8, minor: 5 }, release: '22.05.8' },
};

function answer(path: string, size: { nodes: number; jobs: number }, reply: ServerResponse): void {
  const what = path.replace(/^\/slurm(?:db)?\/v0\.0\.38\//, '');
  if (what === path) {
    reply.writeHead(404, { 'content-type': 'text/plain' }).end('Unable to find requested URL');
    return;
  }
  reply.writeHead(200, { 'content-type': 'application/json' });
  const head = `{"meta":${JSON.stringify(META)},"errors":[]`;
  if (what === 'nodes') void stream(reply, `${head},"nodes":[`, size.nodes, nodeText);
  else if (what === 'jobs') void stream(reply, `${head},"jobs":[`, size.jobs, jobText);
  else if (/^\/slurm\/v0\.0\.38\/job\/\d+$/.test(path)) {
    const at = Number(path.split('/').at(-1)) - 1;
    reply.end(`${head},"jobs":[${at < size.jobs ? jobText(at) : ''}]}`);
  } else if (what === 'diag')
    reply.end(`${head},"statistics":{"jobs_submitted":5,"jobs_started":4,"jobs_pending":1}}`);
  else reply.end(`${head},"pings":[]}`);
}

async function stream(
  reply: ServerResponse,
  head: string,
  count: number,
  text: (at: number) => string,
): Promise<void> {
  let piece = head;
  for (let at = 0; at < count; at++) {
    piece += (at === 0 ? '' : ',') + text(at);
    if (piece.length < 65_536) continue;
    if (!reply.write(piece)) await new Promise(resolve => reply.once('drain', resolve));
    piece = '';
  }
  reply.end(`${piece}]}`);
}

function nodeText(at: number): string {
  const state = NODE_STATES[at % NODE_STATES.length] ?? 'idle';
  return JSON.stringify({
    ...{
      architecture: 'x86_64',
      burstbuffer_network_address: '',
      boards: 1,
      boot_time: 1_767_000_000,
      comment: '',
    },
    ...{
      cores: 32,
      cpu_binding: 0,
      cpu_load: 100,
      extra: '',
      free_memory: 4_294_967_294,
      cpus: 64,
      last_busy: 1_767_000_100,
    },
    ...{ features: 'gpu', active_features: 'gpu', gres: 'gpu:a100:4(S:0-1)', gres_drained: 'N/A' },
    gres_used: state === 'mixed' || state === 'allocated' ? 'gpu:a100:2(IDX:0-1)' : 'gpu:a100:0(IDX:N/A)',
    ...{
      mcs_label: '',
      name: `n${String(at + 1).padStart(5, '0')}`,
      next_state_after_reboot: 'invalid',
      address: '127.0.0.1',
    },
    ...{
      hostname: 'host',
      state,
      state_flags: at % 7 === 0 ? ['DRAIN'] : [],
      next_state_after_reboot_flags: [],
    },
    ...{
      operating_system: 'Linux 6.1.0',
      owner: null,
      partitions: ['cpu', `p${at % 10}`],
      port: 6818,
      real_memory: 256_000,
    },
    ...{
      reason: '',
      reason_changed_at: 0,
      reason_set_by_user: null,
      slurmd_start_time: 1_767_000_000,
      sockets: 2,
    },
    ...{
      threads: 1,
      temporary_disk: 0,
      weight: 1,
      tres: 'cpu=64,mem=250G,billing=64',
      slurmd_version: '22.05.8',
    },
    ...{ alloc_memory: 1000, alloc_cpus: state === 'mixed' ? 20 : 0, idle_cpus: state === 'mixed' ? 44 : 64 },
    ...{ tres_used: null, tres_weighted: 0 },
  });
}

const NOTHING = 4_294_967_294;

/** A name that needs every escape of the text formats. */
export const ODD_USER = 'o"dd\\us\ner 🙂';

function jobText(at: number): string {
  const state = JOB_STATES[at % JOB_STATES.length] ?? 'RUNNING';
  return JSON.stringify({
    ...{
      account: 'proj1',
      accrue_time: 1_767_000_000,
      admin_comment: '',
      array_job_id: 0,
      array_task_id: null,
    },
    ...{
      array_max_tasks: 0,
      array_task_string: '',
      association_id: 3,
      batch_features: '',
      batch_flag: true,
      batch_host: 'n1',
    },
    ...{
      flags: ['TRES_STR_CALC', 'JOB_WAS_RUNNING'],
      burst_buffer: '',
      burst_buffer_state: '',
      cluster: 'alpha',
    },
    ...{
      cluster_features: '',
      command: `/home/user/${'run-'.repeat(8)}.sh`,
      comment: '',
      contiguous: false,
      core_spec: null,
    },
    ...{
      thread_spec: null,
      cores_per_socket: null,
      billable_tres: 2,
      cpus_per_task: null,
      cpu_frequency_minimum: null,
    },
    ...{
      cpu_frequency_maximum: null,
      cpu_frequency_governor: null,
      cpus_per_tres: '',
      deadline: 0,
      delay_boot: 0,
    },
    ...{
      dependency: '',
      derived_exit_code: 0,
      eligible_time: 1_767_000_000,
      end_time: 1_767_086_400,
      excluded_nodes: '',
    },
    ...{
      exit_code: 0,
      features: '',
      federation_origin: '',
      federation_siblings_active: '',
      gres_detail: [],
      group_id: 1000,
    },
    ...{
      job_id: at + 1,
      job_resources: {
        nodes: `n${String((at % 1000) + 1).padStart(5, '0')}`,
        allocated_cpus: 2,
        allocated_hosts: 1,
      },
    },
    ...{
      job_state: state,
      last_sched_evaluation: 1_767_000_030,
      licenses: '',
      max_cpus: 0,
      max_nodes: 0,
      mcs_label: '',
    },
    ...{
      memory_per_tres: '',
      name: `job-${at}`,
      nodes: `n${String((at % 1000) + 1).padStart(5, '0')}`,
      nice: null,
      tasks_per_core: null,
    },
    ...{
      tasks_per_node: 0,
      tasks_per_socket: null,
      tasks_per_board: 0,
      cpus: 2,
      node_count: 1,
      tasks: 1,
      het_job_id: 0,
    },
    ...{
      het_job_id_set: '',
      het_job_offset: 0,
      partition: `p${at % 10}`,
      memory_per_node: null,
      memory_per_cpu: 100,
    },
    ...{
      minimum_cpus_per_node: 1,
      minimum_tmp_disk_per_node: 0,
      preempt_time: 0,
      pre_sus_time: 0,
      priority: NOTHING,
    },
    ...{
      profile: null,
      qos: 'normal',
      reboot: false,
      required_nodes: '',
      requeue: true,
      resize_time: 0,
      restart_cnt: 0,
    },
    ...{
      resv_name: '',
      shared: null,
      show_flags: ['SHOW_ALL', 'SHOW_DETAIL'],
      sockets_per_board: 0,
      sockets_per_node: null,
    },
    ...{
      start_time: 1_767_000_000 + (at % 5000),
      state_description: '',
      state_reason: 'None',
      standard_error: '/dev/null',
    },
    ...{
      standard_input: '/dev/null',
      standard_output: `/scratch/user/${'out-'.repeat(10)}${at}`,
      submit_time: 1_766_999_990,
    },
    ...{
      suspend_time: 0,
      system_comment: '',
      time_limit: 1440,
      time_minimum: 0,
      threads_per_core: null,
      tres_bind: '',
    },
    ...{
      tres_freq: '',
      tres_per_job: '',
      tres_per_node: '',
      tres_per_socket: '',
      tres_per_task: '',
      user_id: 1000,
    },
    ...{
      tres_req_str: 'cpu=2,mem=200M,node=1,billing=2',
      tres_alloc_str: 'cpu=2,mem=200M,node=1,billing=2',
      user_name: at === 0 ? ODD_USER : `user${at % 300}`,
    },
    ...{ wckey: '', current_working_directory: '/home/user' },
  });
}

function misbehave(trouble: Exclude<Trouble, null>, request: IncomingMessage, reply: ServerResponse): void {
  const json = { 'content-type': 'application/json' };
  switch (trouble) {
    case 'garbage':
      reply.writeHead(200, json).end('{"meta":{},"nodes":[{]}');
      return;
    case 'half':
      reply.writeHead(200, { ...json, 'content-length': '1000' }).write('{"meta":{},"jobs":[{"job_id":1},');
      setTimeout(() => reply.destroy(), 50);
      return;
    case 'hang':
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'refused':
      reply.writeHead(500, { 'content-type': 'text/plain' }).end('Authentication does not apply to request');
      return;
    case 'unauthorized':
      reply.writeHead(401, { 'content-type': 'text/plain' }).end('Authentication failure');
      return;
    case 'error':
      reply
        .writeHead(500, json)
        .end('{"errors":[{"error":"slurm_load_jobs","error_number":1,"description":"Unspecified"}]}');
      return;
    case 'errors':
      reply
        .writeHead(200, json)
        .end('{"nodes":[],"jobs":[],"errors":[{"errno":1800,"error":"Unable to contact slurm controller"}]}');
      return;
    case 'empty':
      reply.writeHead(200, json).end();
      return;
    case 'html':
      reply.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
  }
}
