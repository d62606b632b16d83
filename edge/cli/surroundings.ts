/** What a command knows of the world around it; main.ts fills it once, commands and tests take it as given. */
import type { Command } from 'commander';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** Absolute path of the user's home directory. */
  readonly home: string;
  /** Login on this host. */
  readonly login: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The program's exit code unless a command throws; see exit.ts. */
  readonly exit: { code: number };
  /** Calls `listener` for SIGINT, SIGTERM and SIGHUP instead of ending; the answer takes that back. */
  onStop(listener: (signal: NodeJS.Signals) => void): () => void;
}

/** Name of the option value that carries the surroundings from the program to its commands. */
const CARRIER = 'surroundings';

/** Gives a program its surroundings. */
export function surround(program: Command, surroundings: Surroundings): void {
  program.setOptionValue(CARRIER, surroundings);
}

/** The surroundings of the program that a command belongs to. */
export function surroundingsOf(command: Command): Surroundings {
  const found = command.optsWithGlobals()[CARRIER] as Surroundings | undefined;
  if (!found) throw new TypeError('the program was given no surroundings');
  return found;
}

/** Writes a line of output: what a script would read. */
export function print(to: Pick<Surroundings, 'stdout'>, text: string): void {
  to.stdout.write(`${text}\n`);
}

/** Writes a message: what only a person reads. */
export function say(to: Pick<Surroundings, 'stderr'>, text: string): void {
  to.stderr.write(`${text}\n`);
}
