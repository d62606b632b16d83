/** A shell in a sandbox that runs scripts one after another: what entering costs is paid once for all of them. */
import { PassThrough } from 'node:stream';
import type { RunOptions, Sandbox } from '../context.ts';
import { BASH } from '../tool.ts';

/** Entered already while its first script is still in the making. */
export interface Shell {
  /**
   * Runs a script of sh as the build user in `/build` and answers its exit code. The shell has ended with the first
   * that is not 0. Throws what running a command in a sandbox throws.
   */
  run(script: string): Promise<number>;
  /** Ends it. Never throws: what broke was told by `run`. */
  close(): Promise<void>;
}

/**
 * Takes scripts that end with a zero byte; tells after each that it went well, or ends as it did. Asked to end it lets
 * the script do so first. Scripts see nothing of bash.
 */
const LOOP = `
exec 5>&1 1>&2
trap 'exit 143' TERM
while IFS= read -r -d '' script; do
  env --unset=SHLVL --unset=_ sh -c "$script" 5>&- </dev/null || exit
  echo >&5
done`;

/** Enters a sandbox, which runs nothing else until the shell has ended. */
export function openShell(sandbox: Sandbox, options: Pick<RunOptions, 'binds' | 'env'>): Shell {
  const scripts = new PassThrough({ encoding: 'utf8' });
  let wentWell: () => void = () => undefined;
  const ended = sandbox.run([...BASH, LOOP], {
    ...options,
    input: scripts,
    onStdout: () => wentWell(),
  });
  // Who asks for nothing more need not hear of it.
  ended.catch(() => undefined);
  return {
    run: async script => {
      const well = new Promise<number>(resolve => {
        wentWell = () => resolve(0);
      });
      scripts.write(`${script}\0`);
      return Promise.race([well, ended.then(({ exitCode }) => exitCode)]);
    },
    close: async () => {
      scripts.end();
      await ended.catch(() => undefined);
    },
  };
}
