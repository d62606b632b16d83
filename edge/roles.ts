/** The roles beside the build service: a gateway and an agent, each there when its settings file is. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginAsync } from 'fastify';
import { Fault } from '../proto/fault.ts';
import { type Places, SettingsError } from '../systemd/settings.ts';
import { makeAuthenticate } from './agent/access.ts';
import { agentArea } from './agent/agent.ts';
import { loadAgentPolicy } from './agent/policy.ts';
import { readAgentSettings } from './agent/settings.ts';
import { readTokenKey } from './auth/key.ts';
import { verifyToken } from './auth/token.ts';
import { drawingRoutes } from './draw/draw.ts';
import { type Area, type AreaContext, drawingsOf } from './edge.ts';
import { gatewayArea } from './gateway/gateway.ts';
import { gatewayFile, loadGateway } from './gateway/settings.ts';

/** Folder of the built browser pages. */
const PAGES = fileURLToPath(new URL('web/dist', import.meta.url));

/** Makes an area once the edge is being joined. */
export type AreaMaker = (context: AreaContext) => Area;

export interface RoleOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
}

/** Reads the settings of the roles that are there. Throws one SettingsError for all faults of all files. */
export function loadRoles(options: RoleOptions): AreaMaker[] {
  const faults: SettingsError['faults'][number][] = [];
  const makers: AreaMaker[] = [];
  for (const load of [loadGatewayRole, loadAgentRole]) {
    try {
      const maker = load(options);
      if (maker) makers.push(maker);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return makers;
}

function loadGatewayRole({ places, env }: RoleOptions): AreaMaker | null {
  const file = gatewayFile(places);
  if (!existsSync(file)) return null;
  const gateway = loadGateway(file, places, env.CREDENTIALS_DIRECTORY ?? null);
  return ({ now, log, metrics }) => ({
    ...gatewayArea({ gateway, pages: PAGES, proxies: proxiesOf(env), now, log, counted: metrics.signIn }),
    ownsRoot: gateway.settings.ui.enabled,
  });
}

function loadAgentRole({ places }: RoleOptions): AreaMaker | null {
  const file = join(places.etc, 'agent.ini');
  if (!existsSync(file)) return null;
  const { settings, warnings } = readAgentSettings(file, places);
  const policy = loadAgentPolicy(settings.policy);
  const key = readKey(file, settings.jwt);
  return context => {
    const { now, log, random, stopping } = context;
    const { enabled, tags } = settings.racksdb;
    const verify = verifyToken({ ...settings.jwt, keys: [key], now });
    const authenticate = makeAuthenticate(verify, policy);
    const defaults = JSON.stringify({ infrastructure: { equipment_tags: tags } });
    const drawing = { cors: [], not_found_status: '404' } as const;
    // Whoever signed in may see the inventory; no action stands for it.
    const racksdb: FastifyPluginAsync = async app => {
      app.addHook('onRequest', async request => {
        await authenticate(request.raw);
      });
      await app.register(drawingRoutes(drawingsOf(context, { drawing }, defaults)));
    };
    return agentArea({
      settings,
      warnings,
      policy,
      keys: [key],
      racksdb: enabled === false ? null : racksdb,
      ...{ now, random, log, stopping },
    });
  };
}

function readKey(file: string, jwt: { key: string; algorithm: Parameters<typeof readTokenKey>[1] }) {
  try {
    return readTokenKey(jwt.key, jwt.algorithm);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new SettingsError([{ file, line: 0, section: 'jwt', key: 'key', message: error.message }]);
  }
}

/** What the environment says about proxies, under their usual names. */
function proxiesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  return Object.fromEntries(names.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])));
}
