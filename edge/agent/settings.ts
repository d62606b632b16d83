/** agent.ini: its keys with types and defaults, and the rules that span several keys. */
import { join } from 'node:path';
import type { SettingFault } from '../../systemd/ini.ts';
import {
  bool,
  choice,
  duration,
  int,
  type Loaded,
  list,
  type Places,
  path,
  readSettings,
  type Settings,
  secret,
  text,
  throwFaults,
} from '../../systemd/settings.ts';
import { ALGORITHMS } from '../auth/key.ts';
import { networks, uri } from '../gateway/fields.ts';

/** slurmrestd's API versions that we speak, newest first: 0.0.45 of Slurm 26.05 down to 0.0.38 of 22.05. */
const API_VERSIONS = ['0.0.45', '0.0.44', '0.0.43', '0.0.42', '0.0.41', '0.0.40', '0.0.39', '0.0.38'];

const DEFAULT_SOCKET = 'unix:///run/slurmrestd/slurmrestd.socket';

/** The schema for the paths of an installation. */
export function agentSchema({ etc, lib }: Pick<Places, 'etc' | 'lib'>) {
  return {
    service: {
      cluster: text(''),
      interface: text('localhost'),
      port: int(5012, 0, 65_535),
      compat_version: text('7.0.0'),
      cors: bool(false),
      debug: bool(false),
      log_flags: list(['ALL']),
      debug_flags: list([]),
      trusted_proxies: networks([]),
    },
    slurmrestd: {
      uri: uri(null, ['unix', 'http', 'https']),
      socket: path(null),
      auth: choice('jwt', ['jwt', 'local']),
      jwt_mode: choice('auto', ['auto', 'static']),
      jwt_user: text('slurm'),
      jwt_lifespan: duration(3600),
      jwt_key: path(join(lib, 'slurmrestd.key')),
      jwt_token: secret(),
      versions: list(API_VERSIONS),
      version: text(null),
      timeout: duration(30),
    },
    filters: Object.fromEntries(FILTERS.map(name => [name, list([])])) as Record<
      (typeof FILTERS)[number],
      ReturnType<typeof list>
    >,
    policy: {
      definition: path(null),
      vendor_roles: path(null),
      roles: path(join(etc, 'agent-policy.ini')),
    },
    jwt: {
      key: path(join(lib, 'jwt.key')),
      algorithm: choice('HS256', ALGORITHMS),
      audience: text('slurm-web'),
    },
    racksdb: {
      enabled: bool(null),
      db: path(null),
      schema: path(null),
      extensions: path(null),
      drawings_schema: path(null),
      infrastructure: text(null),
      tags: list(['compute']),
    },
    cache: {
      enabled: bool(false),
      host: text('localhost'),
      port: int(6379, 1, 65_535),
      password: secret(),
      version: duration(1800),
      jobs: duration(30),
      job: duration(10),
      nodes: duration(30),
      node: duration(10),
      partitions: duration(60),
      qos: duration(60),
      reservations: duration(60),
      accounts: duration(60),
      jobs_past: duration(60),
      associations: duration(120),
    },
    slurmdbd: { jobs_max_hours: int(168, 1, 24 * 366) },
    metrics: {
      enabled: bool(false),
      restrict: networks(['127.0.0.0/8', '::1/128']),
      host: uri(null),
      job: text('slurm'),
      prefix: text('slurm'),
      interval: duration(15),
      max_age: duration(90),
      scrape_interval: duration(30),
      match: text(null),
      users: bool(false),
      max_users: int(200, 1, 10_000),
    },
  };
}

const FILTERS = [
  'jobs',
  'jobs_dbd',
  'acctjob',
  'ctldjob',
  'nodes',
  'node',
  'partitions',
  'qos',
  'reservations',
  'accounts',
  'associations',
] as const;

export type AgentSettings = Settings<ReturnType<typeof agentSchema>>;

/** Reads agent.ini. Throws one SettingsError with every fault; warnings come back beside the settings. */
export function readAgentSettings(
  file: string,
  places: Places,
): Loaded<ReturnType<typeof agentSchema>> & { readonly warnings: readonly string[] } {
  const loaded = readSettings(agentSchema(places), { files: [file], required: true });
  const { service, slurmrestd, metrics } = loaded.settings;
  const faults: SettingFault[] = [];
  const refuse = (section: string, key: string, message: string): void => {
    const line = /:(\d+)$/.exec(loaded.origin(section, key))?.[1];
    faults.push({ file, line: Number(line ?? 0), section, key, message });
  };
  if (service.cluster === '') refuse('service', 'cluster', 'is required');
  else if (!/^[\w.-]{1,64}$/.test(service.cluster)) refuse('service', 'cluster', 'is no cluster name');
  if (!/^\d+\.\d+\.\d+$/.test(service.compat_version)) refuse('service', 'compat_version', 'is not X.Y.Z');
  const target = slurmrestdTarget(loaded.settings);
  if (slurmrestd.auth === 'local' && !target.startsWith('unix:')) {
    refuse('slurmrestd', 'auth', 'local authentication works over a Unix socket only');
  }
  if (slurmrestd.auth === 'jwt' && slurmrestd.jwt_mode === 'static' && !slurmrestd.jwt_token) {
    refuse('slurmrestd', 'jwt_token', 'is required with jwt_mode static');
  }
  for (const version of slurmrestd.versions) {
    if (!/^\d+\.\d+\.\d+$/.test(version)) refuse('slurmrestd', 'versions', `"${version}" is not X.Y.Z`);
  }
  if (slurmrestd.versions.length === 0) refuse('slurmrestd', 'versions', 'names no version');
  // Prometheus' data model: names of metrics.
  if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(metrics.prefix)) refuse('metrics', 'prefix', 'is no metric name');
  if (metrics.interval < 1) refuse('metrics', 'interval', 'must be at least one second');
  throwFaults(faults);
  const warnings: string[] = [];
  if (slurmrestd.version !== null) warnings.push('[slurmrestd]>version is ignored: versions are discovered');
  if (slurmrestd.socket !== null) warnings.push('[slurmrestd]>socket is deprecated: use uri = unix://PATH');
  for (const network of metrics.restrict.text) {
    if (/\/0$/.test(network)) warnings.push(`[metrics]>restrict: ${network} lets everybody read the metrics`);
  }
  return { ...loaded, warnings };
}

/** Where slurmrestd listens: `unix:///PATH` or `http(s)://HOST:PORT`. */
export function slurmrestdTarget(settings: AgentSettings): string {
  const { uri: address, socket } = settings.slurmrestd;
  return address ?? (socket === null ? DEFAULT_SOCKET : `unix://${socket}`);
}
