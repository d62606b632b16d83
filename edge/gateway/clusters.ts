/** The list of clusters as a signed-in user sees it. */
import type { Verified } from '../auth/token.ts';
import { Agent, type AgentsSettings, describeTrouble } from './agents.ts';

interface Permissions {
  readonly roles: readonly string[];
  readonly actions: readonly string[];
}

/** One entry of GET /api/clusters. */
export interface ClusterEntry {
  readonly name: string;
  readonly racksdb: boolean;
  readonly infrastructure: string;
  readonly metrics: boolean;
  readonly cache: boolean;
  readonly slurmdbd: { readonly jobs_max_hours: number };
  readonly permissions: Permissions;
  readonly error?: true;
  readonly reason?: string;
}

/** Users whose last permissions are remembered for each agent's bad times. */
const MAX_REMEMBERED = 10_000;
/** Actions that have two names. */
const TWIN_ACTIONS = ['stats', 'jobs', 'nodes', 'partitions', 'qos', 'accounts', 'reservations'];
/** Enough for the frontend to look at the cluster and find it in trouble, instead of calling it denied. */
const LEAST: Permissions = { roles: [], actions: ['stats-view', 'view-stats'] };

export class Clusters {
  readonly agents: readonly Agent[];
  private readonly settings: AgentsSettings;
  private readonly hideDenied: boolean;
  private readonly remembered = new Map<string, Permissions>();

  constructor(settings: AgentsSettings, hideDenied: boolean) {
    this.settings = settings;
    this.hideDenied = hideDenied;
    this.agents = settings.url.map(url => new Agent(url, settings));
  }

  open(): void {
    for (const agent of this.agents) agent.open();
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map(agent => agent.close()));
  }

  async endStreams(): Promise<void> {
    await Promise.all(this.agents.map(agent => agent.endStreams()));
  }

  /** The agent that announced the name first; null for none. */
  find(name: string): Agent | null {
    return this.agents.find(agent => agent.name === name && agent.info !== null) ?? null;
  }

  /** One entry per configured agent, in their order, within the time-out whatever the agents do. */
  async list(user: Verified, token: string): Promise<ClusterEntry[]> {
    const asked = await Promise.all(this.agents.map(agent => this.entry(agent, user, token)));
    // Which agent is another's twin is known once each has had its time to say its name, in whatever order they did.
    const entries = this.agents.map((agent, at) => this.twin(agent) ?? (asked[at] as ClusterEntry));
    return entries.filter(
      entry => !(this.hideDenied && entry.error === undefined && entry.permissions.actions.length === 0),
    );
  }

  private async entry(agent: Agent, user: Verified, token: string): Promise<ClusterEntry> {
    const key = `${agent.url}\0${user.login}`;
    const deadline = this.settings.timeout * 1000;
    await within(agent.settled(), deadline);
    if (agent.info === null || agent.trouble !== null) {
      return this.describe(agent, this.remembered.get(key) ?? LEAST, agent.trouble ?? 'not reached yet');
    }
    try {
      const permissions = await this.ask(agent, token);
      this.remember(key, permissions);
      return this.describe(agent, permissions, null);
    } catch (error) {
      const reason = describeTrouble(error, this.settings.timeout);
      return this.describe(agent, this.remembered.get(key) ?? LEAST, reason);
    }
  }

  /** The entry of an agent whose cluster's name one before it has; null for any other. */
  private twin(agent: Agent): ClusterEntry | null {
    if (agent.info === null || this.find(agent.name) === agent) return null;
    return this.describe(agent, LEAST, `another agent announces the cluster ${agent.name} too`, true);
  }

  private async ask(agent: Agent, token: string): Promise<Permissions> {
    const { status, body } = await agent.get(`/v${agent.info?.version}/permissions`, token);
    if (status === 401 || status === 403) {
      throw new Error('the agent refuses our tokens: its JWT key or audience is another one');
    }
    const { roles, actions } = (body ?? {}) as Partial<Permissions>;
    if (status !== 200 || !isTexts(roles) || !isTexts(actions)) {
      throw new Error(`the agent's permissions are not readable (status ${status})`);
    }
    return { roles, actions: bothNames(actions) };
  }

  private remember(key: string, permissions: Permissions): void {
    this.remembered.delete(key);
    this.remembered.set(key, permissions);
    const oldest = this.remembered.keys().next().value;
    if (this.remembered.size > MAX_REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
  }

  private describe(
    agent: Agent,
    permissions: Permissions,
    reason: string | null,
    anonymous = false,
  ): ClusterEntry {
    const info = anonymous ? null : agent.info;
    const name = anonymous ? new URL(agent.url).host : agent.name;
    return {
      name,
      racksdb: info?.racksdb.enabled ?? false,
      infrastructure: info?.racksdb.infrastructure ?? name,
      metrics: info?.metrics ?? false,
      cache: info?.cache ?? false,
      slurmdbd: info?.slurmdbd ?? { jobs_max_hours: 168 },
      permissions,
      ...(reason === null ? {} : { error: true as const, reason }),
    };
  }
}

/** Adds to each action its other name, sorted. */
export function bothNames(actions: readonly string[]): string[] {
  const all = new Set(actions);
  for (const noun of TWIN_ACTIONS) {
    if (all.has(`view-${noun}`) || all.has(`${noun}-view`)) all.add(`view-${noun}`).add(`${noun}-view`);
  }
  return [...all].sort();
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

async function within(work: Promise<void>, deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, deadline);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
