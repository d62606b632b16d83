/** Reads agent.ini whole, with the key it names, or tells every fault at once. */
import { dirname, join } from 'node:path';
import { type Loaded, type Places, readSettings } from '../../systemd/settings.ts';
import { Check } from '../auth/check.ts';
import type { TokenKey } from '../auth/key.ts';
import { unknownFlags } from '../http/log-flags.ts';
import { MEMBERS } from './filters.ts';
import { type AgentSettings, agentSchema, DEFAULT_SOCKET, LOG_FLAGS } from './schema.ts';

/** Settings with what the named files hold. */
export interface Agent {
  readonly settings: AgentSettings;
  /** Checks the gateway's tokens. */
  readonly key: TokenKey;
  /** Path of the key that signs our tokens for slurmrestd; read whenever one is made. */
  readonly slurmKey: string;
  /** Sentences for the log: what works, but shouldn't stay so. */
  readonly warnings: readonly string[];
}

export function agentFile({ etc }: Pick<Places, 'etc'>): string {
  return join(etc, 'agent.ini');
}

/** Reads the file against the schema alone. Throws a SettingsError. */
export function readAgentFile(
  file: string,
  places: Places,
  required = true,
): Loaded<ReturnType<typeof agentSchema>> {
  return readSettings(agentSchema(places), {
    files: [file],
    required,
    variables: { config_dir: dirname(file), state_dir: places.lib },
  });
}

/** Reads and checks the file, but not the keys it names: for those who only ask Slurm. Throws a SettingsError. */
export function readAgentSettings(
  file: string,
  places: Places,
): { readonly settings: AgentSettings; readonly warnings: readonly string[] } {
  const loaded = readAgentFile(file, places);
  const check = new Check(file, loaded, null);
  checkAll(loaded.settings, check);
  check.finish();
  return { settings: loaded.settings, warnings: check.warnings };
}

/**
 * Reads and checks all that the agent starts with. `credentials` is systemd's `$CREDENTIALS_DIRECTORY`, where
 * `jwt.key` and `slurmrestd.key` win. Throws a SettingsError with every fault.
 */
export function loadAgent(file: string, places: Places, credentials: string | null): Agent {
  const loaded = readAgentFile(file, places);
  const { settings } = loaded;
  const check = new Check(file, loaded, credentials);
  checkAll(settings, check);
  const { jwt, slurmrestd } = settings;
  const hint = '; copy the gateway\'s, which "rackwright-edge gen-jwt-key" makes';
  const key = check.tokenKey('jwt', 'key', check.credential('jwt.key', jwt.key), jwt.algorithm, hint);
  const slurmKey = check.credential('slurmrestd.key', slurmrestd.jwt_key);
  if (slurmrestd.auth === 'jwt' && slurmrestd.jwt_mode === 'auto') {
    const bytes = check.read(
      'slurmrestd',
      'jwt_key',
      slurmKey,
      "; copy the key of Slurm's AuthAltParameters",
    );
    if (bytes?.length === 0) check.fault('slurmrestd', 'jwt_key', `${slurmKey} is empty`);
  }
  check.finish();
  if (!key) throw new TypeError('a key that is not there is a fault');
  return { settings, key, slurmKey, warnings: check.warnings };
}

function checkAll(settings: AgentSettings, check: Check): void {
  checkService(settings, check);
  checkSlurmrestd(settings, check);
  checkMetrics(settings, check);
  checkFilters(settings, check);
  checkIgnored(settings, check);
  if (settings.cache.password) check.warnOfOpen('cache', 'password');
  check.warnings.push(...unknownFlags(settings.service, LOG_FLAGS));
}

function checkService({ service }: AgentSettings, check: Check): void {
  if (service.cluster === '') check.fault('service', 'cluster', 'is required');
  else if (!/^[\w.-]{1,64}$/.test(service.cluster)) {
    check.fault('service', 'cluster', 'is no cluster name: letters, digits, "_", "-" and ".", 64 at most');
  }
  // Gateways ask for the version that is announced.
  if (!/^[67]\.\d+\.\d+$/.test(service.compat_version)) {
    check.fault('service', 'compat_version', `"${service.compat_version}" is not 6.Y.Z or 7.Y.Z`);
  }
}

function checkSlurmrestd(settings: AgentSettings, check: Check): void {
  const { slurmrestd } = settings;
  const { auth, jwt_mode, jwt_token, jwt_user, versions } = slurmrestd;
  const target = slurmrestdTarget(settings);
  const key = slurmrestd.uri === null ? 'socket' : 'uri';
  if (target.startsWith('unix:')) {
    if (!/^unix:\/\/\/./.test(target)) check.fault('slurmrestd', key, `"${target}" is not unix:///PATH`);
  } else if (new URL(target).pathname !== '/') {
    check.fault('slurmrestd', key, `"${target}" has a path; slurmrestd has none in front of its own`);
  }
  if (auth === 'local' && !target.startsWith('unix:')) {
    check.fault('slurmrestd', 'auth', 'local authentication works over a Unix socket only');
  }
  if (auth === 'jwt' && jwt_mode === 'static' && !jwt_token) {
    check.fault('slurmrestd', 'jwt_token', 'is required with jwt_mode static');
  }
  if (jwt_token) check.warnOfOpen('slurmrestd', 'jwt_token');
  if (auth === 'jwt' && jwt_user === '') check.fault('slurmrestd', 'jwt_user', 'is empty');
  for (const name of ['timeout', 'jwt_lifespan'] as const) {
    if (slurmrestd[name] < 1) check.fault('slurmrestd', name, 'must be at least one second');
  }
  for (const version of versions) {
    if (!/^\d+\.\d+\.\d+$/.test(version)) check.fault('slurmrestd', 'versions', `"${version}" is not X.Y.Z`);
  }
  if (versions.length === 0) check.fault('slurmrestd', 'versions', 'names no version');
}

function checkMetrics({ metrics }: AgentSettings, check: Check): void {
  // Prometheus' data model: names of metrics.
  if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(metrics.prefix)) {
    check.fault('metrics', 'prefix', `"${metrics.prefix}" is no metric name`);
  }
  for (const name of ['interval', 'scrape_interval'] as const) {
    if (metrics[name] < 1) check.fault('metrics', name, 'must be at least one second');
  }
  if (metrics.max_age < metrics.interval) {
    check.fault(
      'metrics',
      'max_age',
      `is less than interval (${metrics.interval} s): nothing would be shown`,
    );
  }
  for (const network of metrics.restrict.text) {
    if (/\/0$/.test(network)) {
      check.warnings.push(`[metrics]>restrict: ${network} lets everybody read the metrics`);
    }
  }
}

/** A member that no answer has leaves nothing: a slip of the pen, or of some other version. */
function checkFilters({ filters }: AgentSettings, check: Check): void {
  for (const [name, members] of Object.entries(MEMBERS)) {
    for (const member of filters[name as keyof typeof MEMBERS].filter(one => !members.includes(one))) {
      check.warnings.push(
        `[filters]>${name}: no answer has a member ${member}; known: ${members.join(', ')}`,
      );
    }
  }
}

/** Keys of Slurm-web's files that mean nothing here are read and explained: such a file shall do as it is. */
const IGNORED: readonly (readonly [keyof AgentSettings, string, string])[] = [
  ['service', 'cors', 'is ignored: browsers ask the gateway, never an agent'],
  ['slurmrestd', 'version', 'is ignored: versions are discovered'],
  ['slurmrestd', 'socket', 'is deprecated: use uri = unix://PATH'],
  ['policy', 'definition', 'is ignored: the actions are built in'],
  ...['db', 'schema', 'extensions', 'drawings_schema'].map(
    key =>
      [
        'racksdb',
        key,
        "is ignored: the inventory is the daemon's, [drawing]>database of rackwright.ini",
      ] as const,
  ),
];

function checkIgnored(settings: AgentSettings, check: Check): void {
  for (const [section, key, why] of IGNORED) {
    const value = (settings[section] as Readonly<Record<string, unknown>>)[key];
    if (value !== null && value !== false) check.warnings.push(`[${section}]>${key} ${why}`);
  }
}

/** Where slurmrestd listens: `unix:///PATH` or `http(s)://HOST:PORT`. */
export function slurmrestdTarget(settings: AgentSettings): string {
  const { uri: address, socket } = settings.slurmrestd;
  return address ?? (socket === null ? DEFAULT_SOCKET : `unix://${socket}`);
}
