/** The keys of agent.ini with their types and defaults. */
import { join } from 'node:path';
import {
  bool,
  choice,
  duration,
  int,
  list,
  type Places,
  path,
  type Settings,
  secret,
  text,
} from '../../systemd/settings.ts';
import { ALGORITHMS } from '../auth/key.ts';
import { networks } from '../http/networks.ts';
import { uri } from '../http/uri.ts';

/** What debug lines are about: the agent's own work, its requests to slurmrestd. */
export const LOG_FLAGS = ['slurmweb', 'slurmrestd'] as const;

/** slurmrestd's API versions that we speak, newest first: 0.0.45 of Slurm 26.05 down to 0.0.38 of 22.05. */
const API_VERSIONS = ['0.0.45', '0.0.44', '0.0.43', '0.0.42', '0.0.41', '0.0.40', '0.0.39', '0.0.38'];

/** Where slurmrestd listens unless told. */
export const DEFAULT_SOCKET = 'unix:///run/slurmrestd/slurmrestd.socket';

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
