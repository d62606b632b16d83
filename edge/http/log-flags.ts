/** Which of its own lines a cluster role logs: `[service]` `debug`, `log_flags` and `debug_flags`. */

export interface AreaLog {
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

/** The keys as gateway.ini and agent.ini have them. */
export interface LogSettings {
  readonly debug: boolean;
  readonly log_flags: readonly string[];
  readonly debug_flags: readonly string[];
}

/** A debug line, where debugging of what it is about (one of the role's flags) is asked for. Never with a secret. */
export type Trace<Flag extends string> = (flag: Flag, sentence: string) => void;

/** Flags of Slurm-web's files that choose nothing here: they are about libraries that we have not. */
const FOREIGN = ['rfl', 'racksdb', 'werkzeug', 'urllib3'];

/**
 * Leaves out information that `log_flags` doesn't name; warnings and errors are always written. Debug lines go out as
 * information beginning with `debug:`, because the level of the log belongs to the process that all roles share.
 */
export function flaggedLog<Flag extends string>(
  log: AreaLog,
  settings: LogSettings,
): AreaLog & { readonly trace: Trace<Flag> } {
  const { debug, log_flags: flags, debug_flags: debugFlags } = settings;
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

/** Every flag that files and command lines may have, beside a role's own. */
export function knownFlags(flags: readonly string[]): readonly string[] {
  return ['ALL', ...flags, ...FOREIGN];
}

/** Warnings of flags that a role does not know: one of some other version is no reason not to start. */
export function unknownFlags(settings: LogSettings, flags: readonly string[]): string[] {
  const known = knownFlags(flags);
  return (['log_flags', 'debug_flags'] as const).flatMap(key =>
    settings[key]
      .filter(flag => !known.includes(flag))
      .map(flag => `[service]>${key}: ${flag} is unknown and chooses nothing; known: ${known.join(', ')}`),
  );
}

function has(flags: readonly string[], flag: string): boolean {
  return flags.includes('ALL') || flags.includes(flag);
}
