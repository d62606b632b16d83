#!/usr/bin/env node
/** The `rackwright` command. */
import { homedir, userInfo } from 'node:os';
import { addBuildCommand } from './build.ts';
import { addClusterCommand } from './cluster.ts';
import { addCompletionCommand } from './completion.ts';
import { addDrawCommand } from './draw.ts';
import { addImagesCommand } from './images.ts';
import { addImportSrcrpmCommand } from './import-srcrpm.ts';
import { addKeyringCommand } from './keyring.ts';
import { addLdapCheckCommand } from './ldap-check.ts';
import { addHistoryCommand, addListCommand } from './list.ts';
import { addLoginCommand } from './login.ts';
import { createProgram, runProgram } from './program.ts';
import { addRegistryCommand } from './registry.ts';
import type { Surroundings } from './surroundings.ts';
import { addCancelCommand, addRetryCommand } from './tasks.ts';
import { addTokensCommand } from './tokens.ts';
import { addUpCommand } from './up.ts';
import { addWatchCommand } from './watch.ts';

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
addBuildCommand(program);
addListCommand(program);
addWatchCommand(program);
addCancelCommand(program);
addRetryCommand(program);
addHistoryCommand(program);
addRegistryCommand(program);
addKeyringCommand(program);
addImagesCommand(program);
addTokensCommand(program);
addImportSrcrpmCommand(program);
addUpCommand(program);
addClusterCommand(program);
addDrawCommand(program);
addLdapCheckCommand(program);
addLoginCommand(program);
// The last one: it completes all the others.
addCompletionCommand(program);

process.exitCode = await runProgram(program, surroundings, process.argv.slice(2));
