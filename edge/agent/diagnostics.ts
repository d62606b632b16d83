/** Whether an agent can do its work, a line for each part: what is right, or how to mend it; and slurmctld's numbers. */
import { Fault, toFault } from '../../proto/fault.ts';
import type { AgentSettings } from './schema.ts';
import { slurmrestdTarget } from './settings.ts';
import { tokenExpiry } from './slurm-auth.ts';
import { EMPTY_RESULT, type Slurmrestd, type SlurmVersions } from './slurmrestd.ts';
import { integer, number, type Raw, raw, text } from './values.ts';

export interface Finding {
  readonly subject: string;
  /** `hint` is worth knowing and no failure. */
  readonly verdict: 'right' | 'wrong' | 'hint';
  readonly message: string;
}

/** Documented job counters of the diagnostics answer. */
const COUNTERS = [
  'jobs_submitted',
  'jobs_started',
  'jobs_completed',
  'jobs_canceled',
  'jobs_failed',
  'jobs_pending',
  'jobs_running',
] as const;

/** Lists of accounting's configuration: read an element at a time, for a large site has a hundred thousand associations. */
const CONFIG_LISTS = new Set([
  ...['clusters', 'tres', 'TRES', 'accounts', 'users', 'qos', 'QOS', 'wckeys', 'associations', 'instances'],
]);

/** Seconds by which two clocks may differ before tokens get into trouble. */
const MAX_SKEW = 30;

export type Client = Pick<Slurmrestd, 'get' | 'versions'>;

/** Checks connection, version, permissions, clocks and accounting, in that order; stops where nothing answers. */
export async function checkCluster(
  client: Client,
  settings: AgentSettings,
  now: () => number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [checkToken(settings, now)];
  let versions: SlurmVersions;
  try {
    versions = await client.versions();
  } catch (error) {
    return [...findings, { subject: 'connection', verdict: 'wrong', message: mend(error, settings) }];
  }
  const { api, slurm, cluster } = versions;
  findings.push({
    subject: 'connection',
    verdict: 'right',
    message: `${slurmrestdTarget(settings)} answers`,
  });
  findings.push({ subject: 'version', verdict: 'right', message: `slurm ${slurm}, API ${api}` });
  if (cluster !== '' && cluster !== settings.service.cluster) {
    findings.push({
      subject: 'cluster',
      verdict: 'hint',
      message: `slurmrestd calls the cluster "${cluster}", [service]>cluster is "${settings.service.cluster}"`,
    });
  }
  for (const path of ['nodes', 'jobs', 'partitions'] as const) findings.push(await checkList(client, path));
  findings.push(await checkClock(client, now));
  findings.push(await checkAccounting(client));
  return findings;
}

function checkToken(settings: AgentSettings, now: () => number): Finding {
  const { auth, jwt_mode, jwt_token, jwt_key } = settings.slurmrestd;
  const subject = 'credential';
  if (auth === 'local') {
    return {
      subject,
      verdict: 'hint',
      message: 'local authentication, which Slurm 25.05 has removed: use jwt',
    };
  }
  if (jwt_mode === 'auto') return { subject, verdict: 'right', message: `tokens are signed with ${jwt_key}` };
  const expires = tokenExpiry(jwt_token ?? '');
  if (expires === null)
    return { subject, verdict: 'hint', message: 'a token that does not say when it expires' };
  const left = Math.floor(expires - now() / 1000);
  return left > 0
    ? {
        subject,
        verdict: left < 3600 ? 'hint' : 'right',
        message: `the token holds for ${Math.floor(left / 60)} minutes`,
      }
    : {
        subject,
        verdict: 'wrong',
        message: 'the token has expired: make one with scontrol token lifespan=…',
      };
}

async function checkList(client: Client, path: 'nodes' | 'jobs' | 'partitions'): Promise<Finding> {
  let count = 0;
  try {
    await client.get(path, { lists: new Set([path]), onElement: () => count++ });
    return { subject: path, verdict: 'right', message: `${count} are readable` };
  } catch (error) {
    return { subject: path, verdict: 'wrong', message: toFault(error).message };
  }
}

async function checkClock(client: Client, now: () => number): Promise<Finding> {
  const subject = 'clock';
  try {
    const statistics = raw((await client.get('diag')).statistics);
    const theirs = number(statistics.req_time);
    if (theirs <= 0) return { subject, verdict: 'hint', message: 'slurmctld does not tell its time' };
    const skew = Math.round(theirs - now() / 1000);
    return Math.abs(skew) <= MAX_SKEW
      ? { subject, verdict: 'right', message: `differs by ${Math.abs(skew)} s` }
      : {
          subject,
          verdict: 'wrong',
          message: `slurmctld's clock differs by ${skew} s: tokens will be refused; sync both`,
        };
  } catch (error) {
    return { subject, verdict: 'wrong', message: toFault(error).message };
  }
}

async function checkAccounting(client: Client): Promise<Finding> {
  const subject = 'accounting';
  try {
    const clusters = await accountedClusters(client);
    return { subject, verdict: 'right', message: `slurmdbd knows ${clusters.length} cluster(s)` };
  } catch (error) {
    const why = toFault(error).message;
    return { subject, verdict: 'hint', message: `not available, so no past jobs, accounts and QOS: ${why}` };
  }
}

/** Clusters that accounting knows. 22.05 refuses its whole configuration while a part of it is empty, workload keys say. */
async function accountedClusters(client: Client): Promise<readonly Raw[]> {
  const ask = async (path: string): Promise<readonly Raw[]> => {
    const clusters: Raw[] = [];
    const onElement = (list: string, value: unknown): void => {
      if (list === 'clusters') clusters.push(raw(value));
    };
    await client.get(path, { lists: CONFIG_LISTS, onElement }, true);
    return clusters;
  };
  try {
    return await ask('config');
  } catch (error) {
    if (error instanceof Fault && error.details.code === EMPTY_RESULT) return ask('clusters');
    throw error;
  }
}

/** The reason and, where we know it, the remedy. */
function mend(error: unknown, settings: AgentSettings): string {
  const fault = toFault(error);
  const key =
    "Is [slurmrestd]>jwt_key the key of Slurm's AuthAltParameters, and jwt_user a user Slurm knows?";
  if (fault.reason === 'slurm-auth') return `${fault.message}. ${key}`;
  // 22.05 words a refused token as if slurmctld were away.
  if (/config is unable to load/i.test(fault.message)) return `${fault.message}. Does slurmctld run? ${key}`;
  if (fault.reason === 'slurm-unreachable') {
    return `${fault.message}. Does slurmrestd run and listen on ${slurmrestdTarget(settings)}, and may this user open it?`;
  }
  return fault.message;
}

/** slurmctld's job counters and the nodes that accounting lists: the documented diagnostics. */
export async function readDiagnostics(client: Client): Promise<{
  readonly statistics: Readonly<Record<string, number>>;
  readonly clusters: readonly { readonly name: string; readonly nodes: string }[];
}> {
  const statistics = raw((await client.get('diag')).statistics);
  return {
    statistics: Object.fromEntries(COUNTERS.map(name => [name, integer(statistics[name])])),
    clusters: (await accountedClusters(client)).map(({ name, nodes }) => ({
      name: text(name),
      nodes: text(nodes),
    })),
  };
}
