#!/usr/bin/env node
/** The `rackwright` command. */
import { enableCompileCache } from 'node:module';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The system's word on who calls; in a container an id may have no name. */
function loginOf(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

const surroundings: Surroundings = {
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  login: loginOf(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  exit: { code: 0 },
  onStop: listener => {
    for (const signal of SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    };
  },
};

// A reader that has seen enough, such as head, is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(surroundings.exit.code);
    throw error;
  });
}

// Halves the time to start. Without a place to write, all goes on as without it.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'rackwright', 'code'));
const { createProgram, runProgram } = await import('./program.ts');
const { addVerbs } = await import('./verbs.ts');

const program = createProgram(surroundings);
addVerbs(program);
process.exitCode = await runProgram(program, surroundings, process.argv.slice(2));
