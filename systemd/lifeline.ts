/** A process that shall not outlive the one that started it: it stops in order when a pipe between the two closes. */
import type { Readable } from 'node:stream';

/** The option by which a starter says that its child's standard input is such a pipe. */
export const LIFELINE = 'lifeline';

/**
 * Calls `stop` when the pipe closes: the kernel sees to that however its other end dies, SIGKILL included. Nothing
 * is ever sent on it.
 */
export function holdLifeline(pipe: Readable, stop: () => void): void {
  pipe.once('end', stop);
  // A pipe that breaks has ended as well.
  pipe.once('error', stop);
  // Only who reads learns of the end.
  pipe.resume();
}
