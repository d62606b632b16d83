#!/usr/bin/env node
/** The `rackwright` command. */
import { homedir, userInfo } from 'node:os';
import { createProgram, runProgram } from './program.ts';
import type { Surroundings } from './surroundings.ts';
import { addUpCommand } from './up.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const surroundings: Surroundings = {
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  login: userInfo().username,
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

const program = createProgram(surroundings);
addUpCommand(program);

process.exitCode = await runProgram(program, surroundings, process.argv.slice(2));
