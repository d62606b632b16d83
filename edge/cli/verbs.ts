/** All verbs of the `rackwright` command, in the order in which help shows them. */
import type { Command } from 'commander';
import { addBackupCommand } from './backup.ts';
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
import { addPatchesCommand } from './patches.ts';
import { addRegistryCommand } from './registry.ts';
import { addRestoreCommand } from './restore.ts';
import { addCancelCommand, addRetryCommand } from './tasks.ts';
import { addTokensCommand } from './tokens.ts';
import { addUpCommand } from './up.ts';
import { addWatchCommand } from './watch.ts';

/** Adds every verb. */
export function addVerbs(program: Command): void {
  addBuildCommand(program);
  addListCommand(program);
  addWatchCommand(program);
  addCancelCommand(program);
  addRetryCommand(program);
  addHistoryCommand(program);
  addRegistryCommand(program);
  addKeyringCommand(program);
  addImagesCommand(program);
  addPatchesCommand(program);
  addTokensCommand(program);
  addImportSrcrpmCommand(program);
  addUpCommand(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addClusterCommand(program);
  addDrawCommand(program);
  addLdapCheckCommand(program);
  addLoginCommand(program);
  // The last one: it completes all the others.
  addCompletionCommand(program);
}
