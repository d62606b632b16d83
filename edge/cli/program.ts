/** The program itself: general options, how errors end it, and the run of one command line. */
import { Command } from 'commander';
import { VERSION } from '../../proto/words.ts';
import { EXIT, explain } from './exit.ts';
import { type Surroundings, say, surround } from './surroundings.ts';

/** Options that every verb takes. */
export interface GeneralOptions {
  readonly uri?: string;
  readonly instance?: string;
  readonly preferences?: string;
  readonly json?: boolean;
  readonly debug?: boolean;
  readonly fulldebug?: boolean;
}

const EPILOGUE = `
The server: --uri, else $RACKWRIGHT_URI, $FATBUILDR_URI, the preferences' uri, else the local daemon.
  unix:/run/rackwright/control.sock     the daemon's socket (also a bare path; #NAME picks the instance)
  https://build.example.org/default     the REST interface of an instance

Exit codes: 0 done, 1 refused or unreachable, 2 usage, 3 the task failed, 4 the task's result is unknown.`;

/** A program without verbs; the callers add theirs. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('rackwright');
  program
    .description("Builds a site's packages and images, publishes them and draws its machine room.")
    .version(`rackwright ${VERSION}`, '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .option('--uri <uri>', 'socket or address of the server')
    .option('--instance <name>', 'instance at a server that has several')
    .option('--preferences <path>', 'file of user preferences')
    .option('--json', 'print JSON')
    .option('--debug', 'show debugging messages')
    .option('--fulldebug', 'show those of every request, too')
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(add --help for usage)')
    .configureOutput({
      writeOut: text => surroundings.stdout.write(text),
      writeErr: text => surroundings.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride();
  surround(program, surroundings);
  return program;
}

/** Runs one command line (without the two words of node) and answers the exit code. Never throws. */
export async function runProgram(
  program: Command,
  surroundings: Surroundings,
  argv: readonly string[],
): Promise<number> {
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return surroundings.exit.code;
  } catch (error) {
    const options = program.opts<GeneralOptions>();
    const { message, code } = explain(error, options.debug === true || options.fulldebug === true);
    if (message === null) return code;
    say(surroundings, `rackwright: ${message}`);
    if (code === EXIT.usage) say(surroundings, '(add --help for usage)');
    return code;
  }
}
