/** `rackwright ldap-check`: what a gateway finds in its directory, or why it finds nothing. Works on gateway.ini. */
import type { Command } from 'commander';
import { places } from '../../systemd/settings.ts';
import { Directory, type Person } from '../gateway/directory.ts';
import { DirectoryError } from '../gateway/ldap.ts';
import { LOG_FLAGS } from '../gateway/schema.ts';
import { gatewayFile, loadLdap } from '../gateway/settings.ts';
import { knownFlags } from '../http/log-flags.ts';
import { EXIT, UsageError } from './exit.ts';
import type { GeneralOptions } from './program.ts';
import { print, say, surroundingsOf } from './surroundings.ts';

interface LdapCheckOptions extends GeneralOptions {
  readonly conf?: string;
  readonly home?: string;
  readonly debugFlags?: readonly string[];
}

const FLAGS = knownFlags(LOG_FLAGS);

/** Adds the verb. */
export function addLdapCheckCommand(program: Command): void {
  program
    .command('ldap-check')
    .description("show the users that a gateway's LDAP settings find, with full names and groups")
    .option('--conf <path>', 'settings of the gateway (default: gateway.ini of the configuration folder)')
    .option('--home <dir>', 'folder that holds everything, as for `up`')
    .option('--debug-flags <flag...>', `with --debug, what to show: ${FLAGS.join(', ')}`)
    .addHelpText('after', '\nExample:\n  rackwright ldap-check --conf /etc/rackwright/gateway.ini --debug')
    .action((_options, command: Command) => check(command));
}

async function check(command: Command): Promise<void> {
  const around = surroundingsOf(command);
  const options = command.optsWithGlobals<LdapCheckOptions>();
  const flags = options.debugFlags ?? ['ALL'];
  const wrong = flags.find(flag => !FLAGS.includes(flag));
  if (wrong !== undefined) throw new UsageError(`unknown debug flag ${wrong}; known: ${FLAGS.join(', ')}`);
  const at = places(options.home ?? null);
  const { settings, bindPassword, warnings } = loadLdap(options.conf ?? gatewayFile(at), at);
  if (settings.uri === null) {
    say(around, 'LDAP directory URI is not defined in configuration, exiting');
    around.exit.code = EXIT.refused;
    return;
  }
  const warn = (sentence: string): void => say(around, `warning: ${sentence}`);
  for (const sentence of warnings) warn(sentence);
  const debugs = options.debug === true || options.fulldebug === true;
  const trace = (flag: 'ldap' | 'tls', sentence: string): void => {
    if (debugs && (flags.includes('ALL') || flags.includes(flag))) say(around, `debug: ${flag}: ${sentence}`);
  };
  try {
    const { people, omitted } = await new Directory(settings, bindPassword, trace, warn).list();
    if (omitted > 0) warn(`${omitted} user(s) outside of the restricted groups left out`);
    if (options.json) print(around, JSON.stringify(people));
    else for (const line of describe(people)) print(around, line);
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error;
    say(around, `LDAP error: ${error.message}`);
    around.exit.code = EXIT.refused;
  }
}

function describe(people: readonly Person[]): string[] {
  if (people.length === 0) return ['No user found in LDAP directory.'];
  return [
    `Found ${people.length} user(s) in LDAP directory:`,
    ...people.map(({ login, fullname, groups }) => `- ${login} (${fullname ?? '∅'}) [${groups.join(', ')}]`),
  ];
}
