/** The roles beside the build service: a gateway and an agent, each there when its settings file is. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginAsync } from 'fastify';
import type { Sections } from '../systemd/changes.ts';
import { type Places, SettingsError } from '../systemd/settings.ts';
import { makeAuthenticate } from './agent/access.ts';
import { agentArea } from './agent/agent.ts';
import { currentPolicy, loadAgentPolicy } from './agent/policy.ts';
import { agentFile, loadAgent } from './agent/settings.ts';
import { verifyToken } from './auth/token.ts';
import { drawingRoutes } from './draw/draw.ts';
import { rememberInfrastructures } from './draw/infrastructures.ts';
import { type Area, type AreaContext, drawingsOf } from './edge.ts';
import { gatewayArea } from './gateway/gateway.ts';
import { gatewayFile, loadGateway } from './gateway/settings.ts';

/** Folder of the built browser pages. */
const PAGES = fileURLToPath(new URL('web/dist', import.meta.url));

/** A role whose settings are valid. */
export interface Role {
  /** Name of its settings file below `etc`. */
  readonly file: string;
  readonly settings: Sections;
  /** What the files hold that the settings name for keys and secrets. */
  readonly secrets: object;
  /** Looked at whenever it is needed: what a reload puts here counts from then on. */
  readonly live: object;
  /** Sections that `live` follows; all others are read at the start only. */
  readonly liveSections: readonly string[];
  /** Makes its area once the edge is being joined. */
  readonly open: (context: AreaContext) => Area;
}

export interface RoleOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
}

/** Reads the settings of the roles that are there. Throws one SettingsError for all faults of all files. */
export function loadRoles(options: RoleOptions): Role[] {
  const faults: SettingsError['faults'][number][] = [];
  const roles: Role[] = [];
  for (const load of [loadGatewayRole, loadAgentRole]) {
    try {
      const role = load(options);
      if (role) roles.push(role);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return roles;
}

function loadGatewayRole({ places, env }: RoleOptions): Role | null {
  const file = gatewayFile(places);
  if (!existsSync(file)) return null;
  const gateway = loadGateway(file, places, env.CREDENTIALS_DIRECTORY ?? null);
  const { settings, warnings, ...secrets } = gateway;
  return {
    file: basename(file),
    settings,
    secrets,
    live: {},
    liveSections: [],
    open: ({ now, log, metrics }) => ({
      ...gatewayArea({ gateway, pages: PAGES, proxies: proxiesOf(env), now, log, counted: metrics.signIn }),
      ownsRoot: settings.ui.enabled,
    }),
  };
}

function loadAgentRole({ places, env }: RoleOptions): Role | null {
  const file = agentFile(places);
  if (!existsSync(file)) return null;
  const agent = loadAgent(file, places, env.CREDENTIALS_DIRECTORY ?? null);
  const { settings, warnings, ...secrets } = agent;
  const live = { policy: loadAgentPolicy(settings.policy) };
  const open = (context: AreaContext): Area => {
    const policy = currentPolicy(() => live.policy);
    const { now, log, random, stopping, control } = context;
    const { enabled, tags } = settings.racksdb;
    const verify = verifyToken({ ...settings.jwt, keys: [agent.key], now });
    const authenticate = makeAuthenticate(verify, policy);
    const defaults = JSON.stringify({ infrastructure: { equipment_tags: tags } });
    const drawing = { cors: [], not_found_status: '404' } as const;
    // Whoever signed in may see the inventory; no action stands for it.
    const routes: FastifyPluginAsync = async app => {
      app.addHook('onRequest', async request => {
        await authenticate(request.raw);
      });
      await app.register(drawingRoutes(drawingsOf(context, { drawing }, defaults)));
    };
    const racksdb = { routes, has: rememberInfrastructures(control.inventories, now) };
    return agentArea({
      agent,
      policy,
      racksdb: enabled === false ? null : racksdb,
      ...{ now, random, log, stopping },
    });
  };
  return { file: basename(file), settings, secrets, live, liveSections: ['policy'], open };
}

/** What the environment says about proxies, under their usual names. */
function proxiesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  return Object.fromEntries(names.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])));
}
