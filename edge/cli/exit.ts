/** Exit codes of the command line, and what a thrown error means for them. */
import { CommanderError } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { SettingsError } from '../../systemd/settings.ts';

export const EXIT = {
  /** Done; a watched task succeeded; with --batch, submitted. */
  done: 0,
  /** Request, permission, connection or definition error. */
  refused: 1,
  /** Usage. */
  usage: 2,
  /** The watched task failed or was cancelled. */
  failed: 3,
  /** Output ended without an end frame and the task's result cannot be read. */
  unknown: 4,
  /** Interrupted by the user, as shells number SIGINT. */
  interrupted: 130,
} as const;

/** The command was called wrongly; the message says how to call it. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What the user is told of an error, null when commander has told already, and the exit code. */
export function explain(error: unknown, debug: boolean): { message: string | null; code: number } {
  if (error instanceof CommanderError) {
    return { message: null, code: error.exitCode === 0 ? EXIT.done : EXIT.usage };
  }
  if (error instanceof UsageError) return { message: error.message, code: EXIT.usage };
  if (error instanceof SettingsError) return { message: error.message, code: EXIT.refused };
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof Fault && error.kind !== 'internal';
  const stack = error instanceof Error && (debug || !known) ? trace(error, debug) : '';
  return { message: `${message}${stack}`, code: EXIT.refused };
}

/** The stack of an error nobody foresaw, and of its cause; of the others only in debug mode. */
function trace(error: Error, debug: boolean): string {
  if (error instanceof Fault && !debug) return '';
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack}` : '';
  return `\n${error.stack}${cause}`;
}
