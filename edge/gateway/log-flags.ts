/** Which of its own lines the gateway logs: `[service]` `debug`, `log_flags` and `debug_flags`. */
import type { GatewaySettings } from './schema.ts';

export interface GatewayLog {
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

/** What lines are about: the gateway's own work, requests to the directory, encryption to it. */
type LogFlag = 'slurmweb' | 'ldap' | 'tls';

/** Flags that files and command lines may have; the last four are of other tools and choose nothing here. */
export const LOG_FLAGS: readonly string[] = [
  ...['ldap', 'tls', 'ALL', 'slurmweb'],
  ...['rfl', 'racksdb', 'werkzeug', 'urllib3'],
];

export interface FlaggedLog extends GatewayLog {
  /** A debug line, where debugging of what it is about is asked for. Never with a secret. */
  readonly trace: (flag: LogFlag, sentence: string) => void;
}

/**
 * Leaves out information that `log_flags` doesn't name; warnings and errors are always written. Debug lines go out as
 * information beginning with `debug:`, because the level of the log belongs to the process that all roles share.
 */
export function flaggedLog(log: GatewayLog, service: GatewaySettings['service']): FlaggedLog {
  const { debug, log_flags: flags, debug_flags: debugFlags } = service;
  // Debugging without a choice is of everything.
  const chosen = debugFlags.length === 0 ? ['ALL'] : debugFlags;
  const informs = has(flags, 'slurmweb');
  return {
    info: (fields, sentence) => {
      if (informs) log.info(fields, sentence);
    },
    warn: (fields, sentence) => log.warn(fields, sentence),
    error: (fields, sentence) => log.error(fields, sentence),
    trace: (flag, sentence) => {
      if (debug && has(chosen, flag)) log.info({ flag }, `debug: ${flag}: ${sentence}`);
    },
  };
}

function has(flags: readonly string[], flag: LogFlag): boolean {
  return flags.includes('ALL') || flags.includes(flag);
}
