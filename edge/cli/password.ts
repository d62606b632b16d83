/** Asks for a password on a terminal without showing it; elsewhere it is the first line of standard input. */
import { Fault } from '../../proto/fault.ts';
import type { Surroundings } from './surroundings.ts';

/** Longest password, in characters. */
const MAX_PASSWORD = 1024;

/** Throws `cancelled` when the person gives up, `invalid` when there is none. */
export async function askPassword(around: Surroundings, prompt: string): Promise<string> {
  const { stdin, stderr } = around;
  const terminal = stdin.isTTY === true;
  if (terminal) {
    stderr.write(prompt);
    stdin.setRawMode(true);
  }
  try {
    const line = await readLine(stdin);
    if (line === '') throw new Fault('invalid', 'bad-input', 'no password was given');
    return line;
  } finally {
    if (terminal) {
      stdin.setRawMode(false);
      stderr.write('\n');
    }
    stdin.pause();
  }
}

async function readLine(stdin: NodeJS.ReadStream): Promise<string> {
  let line = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    for (const char of String(chunk)) {
      if (char === '\r' || char === '\n') return line;
      // Raw mode leaves interrupting and deleting to us.
      if (char === '\u0003' || char === '\u0004') throw new Fault('cancelled', 'cancelled', 'cancelled');
      if (char === '\u007f' || char === '\b') line = line.slice(0, -1);
      else line += char;
      if (line.length > MAX_PASSWORD) throw new Fault('invalid', 'too-large', 'the password is too long');
    }
  }
  return line;
}
