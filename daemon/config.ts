/** The daemon's own settings: `rackwright.ini`, all sections but those of the edge and of the drawings. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { errorCode, Fault } from '../proto/fault.ts';
import { LIMITS, type Limits } from '../proto/limits.ts';
import { FORMAT_NAMES, isFormat } from '../proto/words.ts';
import { dirsSection, readRackwrightIni, sharedEdgeKeys } from '../systemd/rackwright-ini.ts';
import {
  bool,
  choice,
  duration,
  type Field,
  int,
  type Loaded,
  list,
  type Places,
  path,
  type Schema,
  type Settings,
  size,
  text,
} from '../systemd/settings.ts';
import type { WorkerSettings } from '../workers/job.ts';
import { parsePurge } from './core/retention.ts';

const GiB = 1024 ** 3;
const DAY = 86_400;

/** Days of a key's or token's life: a bare number, or one with d, w, m (30 days) or y (365). */
const SPANS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };

/** Seconds; `no` and 0 are 0 = never. */
function lifetime(fallback: number): Field<number> {
  return {
    fallback,
    read: value => {
      if (/^(no|never|off)$/i.test(value)) return 0;
      const match = /^(\d{1,6}) ?(?:([dwmy])|days?)?$/.exec(value);
      if (!match) throw `"${value}" is neither "no" nor a number of days such as 2y`;
      return Number(match[1]) * (SPANS[match[2] ?? 'd'] ?? 1) * DAY;
    },
  };
}

/** A limit of tasks, written as instances and definitions write it; 0 = none. */
function limit(name: keyof Limits, fallback: number): Field<number> {
  return { fallback, read: LIMITS[name].read };
}

const PURGE: Field<string> = {
  fallback: 'last:100',
  read: value => {
    if (!parsePurge(value))
      throw `"${value}" is no purge policy such as older:30d, last:100, each:3 or size:10GB`;
    return value;
  },
};

/** A time of day in minutes since midnight, local time; null for `no`. */
const TIME_OF_DAY: Field<number | null> = {
  fallback: 3 * 60,
  read: value => {
    if (/^(no|never|off)$/i.test(value)) return null;
    const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(value);
    if (!match) throw `"${value}" is neither "no" nor a time of day such as 03:00`;
    return Number(match[1]) * 60 + Number(match[2]);
  },
};

const FORMATS: Field<readonly string[]> = {
  fallback: FORMAT_NAMES,
  read: value => {
    const names = list([], ',').read(value);
    const bad = names.find(name => !isFormat(name));
    if (bad !== undefined) throw `"${bad}" is none of ${FORMAT_NAMES.join(', ')}`;
    return names;
  },
};

/** Lines of `NAME VALUE`, values of one name in order. */
const PAIRS: Field<Readonly<Record<string, readonly string[]>>> = {
  fallback: {},
  read: value => {
    const pairs = new Map<string, string[]>();
    for (const line of value.split('\n')) {
      const match = /^(\S+)\s+(\S.*)$/.exec(line.trim());
      if (!match?.[1] || !match[2]) throw `"${line.trim()}" is not a name and a value`;
      pairs.set(match[1], [...(pairs.get(match[1]) ?? []), match[2]]);
    }
    return Object.fromEntries(pairs);
  },
};

function schema(at: Places) {
  const cores = availableParallelism();
  return {
    dirs: dirsSection(at),
    daemon: {
      debug: bool(false),
      fulldebug: bool(false),
      /** gRPC over TCP with mutual TLS, `host:port`; none unless set. PEM files. */
      listen: text(null),
      tls_ca: path(null),
      tls_certificate: path(null),
      tls_key: path(null),
      /** Lines of certificate name and login. */
      certificate_logins: PAIRS,
      /** Seconds that running tasks and calls get when the daemon is asked to stop. */
      stop_timeout: duration(25),
    },
    // The edge has further keys here.
    edge: sharedEdgeKeys(at),
    images: {
      storage: path(join(at.lib, 'images')),
      defs: path(null),
      /** Formats that images are made for. */
      formats: FORMATS,
      create_cmd: text(null),
    },
    registry: {
      conf: path(null),
      /** Minutes since midnight at which retention is applied; null = only with publications and when asked. */
      retain_at: TIME_OF_DAY,
      /** Folders below it may be imported by others than the control socket; none unless set. */
      import_root: path(null),
    },
    tasks: {
      workspaces: path(join(at.lib, 'workspaces')),
      purge: PURGE,
      hook: path(null),
      /** Tasks at once, in one instance and in all. */
      workers: int(cores, 1, 1000),
      max_workers: int(cores, 1, 1000),
      timeout: limit('timeout', 4 * 3600),
      idle_timeout: limit('idleTimeout', 30 * 60),
      journal_limit: size(256 * 1024 ** 2),
    },
    sandbox: {
      memory: limit('memory', 4 * GiB),
      cpus: limit('cpus', 0),
      pids: limit('pids', 4096),
      disk: limit('disk', 20 * GiB),
      seccomp: bool(true),
    },
    keyring: {
      storage: path(join(at.lib, 'keyring')),
      type: choice('rsa', ['rsa', 'ed25519']),
      size: int(4096, 2048, 8192),
      expires: lifetime(0),
      seeder: text(null),
    },
    tokens: {
      storage: path(join(at.lib, 'tokens')),
      /** Seconds. */
      duration: lifetime(30 * DAY),
      gateway_key: path(null),
      /** The default of the gateway's own [jwt] audience, so that naming its key is enough. */
      gateway_audience: text('slurm-web'),
      algorithm: choice('HS256', ['HS256', 'HS384', 'HS512']),
      audience: text('rackwright'),
      accept_audiences: list([], ','),
    },
    'format:deb': {
      env_default_mirror: text(null),
      env_default_components: list([], ', '),
      prescript_deps: list([], ', '),
      /** Seconds a Release stays valid; 0 = no Valid-Until. */
      valid_for: duration(0),
      /** Seconds without a publication after which indexes are also offered as xz; 0 = never. */
      xz_after: duration(60),
      /** Whether lintian's report on what was built is put into the journal. */
      lintian: bool(true),
    },
    'format:rpm': {
      env_default_repos: PAIRS,
      env_default_modules: list([], ', '),
      prescript_deps: list([], ', '),
      /** How indexes of registries are packed. */
      compression: choice('gz', ['gz', 'zstd']),
    },
    'format:osi': { builder: text('mkosi') },
  } as const satisfies Schema;
}

export type DaemonSchema = ReturnType<typeof schema>;
export type DaemonSettings = Settings<DaemonSchema>;

/** What other build services' files have and ours has not, with what to do. */
const ELSEWHERE = 'has no equivalent: sandbox and build environments are built in; remove it';
const COMMAND = /_cmds?$|^(opts|passthrough|bind|command)$/;

function explain(section: string, key: string): string | null {
  if (section === 'web') return 'is called [edge] here';
  if (section === 'containers') return `${ELSEWHERE}. Limits stand in [sandbox]`;
  return COMMAND.test(key) ? ELSEWHERE : null;
}

/** Reads `{etc}/rackwright.ini`; a missing file means the defaults. Throws SettingsError with a line for every fault. */
export function readConfig(at: Places): Loaded<DaemonSchema> {
  return readRackwrightIni(schema(at), at, { shared: ['edge'], explain });
}

/** What the threads are told of the settings. */
export function workerSettings(settings: DaemonSettings): WorkerSettings {
  const { dirs, tasks, sandbox, keyring } = settings;
  const [deb, rpm] = [settings['format:deb'], settings['format:rpm']];
  return {
    dirs: {
      registry: dirs.registry,
      cache: dirs.cache,
      run: dirs.run,
      tmp: dirs.tmp,
      images: settings.images.storage,
      keyring: keyring.storage,
    },
    imageFormats: settings.images.formats,
    debug: settings.daemon.debug || settings.daemon.fulldebug,
    limits: {
      ...sandbox,
      timeout: tasks.timeout,
      idleTimeout: tasks.idle_timeout,
      journal: tasks.journal_limit,
      unpacked: settings.edge.max_unpacked,
    },
    keyring: { type: keyring.type, size: keyring.size, expires: keyring.expires },
    deb: {
      mirror: deb.env_default_mirror,
      components: deb.env_default_components,
      prescriptDeps: deb.prescript_deps,
      validFor: deb.valid_for,
      xzAfter: deb.xz_after,
      lintian: deb.lintian,
    },
    rpm: {
      repositories: rpm.env_default_repos,
      modules: rpm.env_default_modules,
      prescriptDeps: rpm.prescript_deps,
      compression: rpm.compression,
    },
  };
}

/** What the tokens are told of the settings; the gateway's key is read now. */
export function tokenSettings({ tokens }: DaemonSettings): TokenSettings {
  const { storage, algorithm, audience, accept_audiences: acceptAudiences, duration } = tokens;
  const gateway = tokens.gateway_key && {
    key: readKey(tokens.gateway_key),
    audience: tokens.gateway_audience,
  };
  return { storage, algorithm, audience, acceptAudiences, duration, gateway: gateway || null };
}

interface TokenSettings {
  readonly storage: string;
  readonly algorithm: 'HS256' | 'HS384' | 'HS512';
  readonly audience: string;
  readonly acceptAudiences: readonly string[];
  readonly duration: number;
  readonly gateway: { readonly key: Uint8Array; readonly audience: string } | null;
}

function readKey(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const message = `[tokens]>gateway_key: ${file} can't be read (${errorCode(error)})`;
    throw new Fault('invalid', 'bad-settings', message);
  }
}
