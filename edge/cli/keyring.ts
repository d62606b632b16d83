/** `rackwright keyring`: the key that signs an instance's registries. */
import type { Command } from 'commander';
import { showKeyring } from './blocks.ts';
import { UsageError } from './exit.ts';
import { withSession } from './session.ts';
import { print } from './surroundings.ts';
import { submitted } from './watch.ts';

/** Adds the verb. */
export function addKeyringCommand(program: Command): void {
  const keyring = program
    .command('keyring')
    .summary('show, export, create or renew the signing key')
    .description(
      "The key that signs the instance's registries: show it (the default), export, create or renew it.",
    )
    .addHelpText('after', '\nExample:\n  rackwright keyring export > /etc/apt/keyrings/example.asc');
  keyring
    .command('show', { isDefault: true })
    .summary('show the key')
    .description('Shows user id, fingerprints, algorithms and expiry of the key and its subkey.')
    .addHelpText('after', '\nExample:\n  rackwright keyring show --json')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ api, surroundings, json }) => {
        const info = await api.keyring();
        if (json) print(surroundings, JSON.stringify(info));
        else surroundings.stdout.write(showKeyring(info));
      }),
    );
  keyring
    .command('export')
    .summary('write the public key')
    .description('Writes the armored public key to standard output.')
    .addHelpText('after', '\nExample:\n  rackwright keyring export > example.asc')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ api, surroundings, json }) => {
        const armored = await api.exportKeyring();
        if (json) return print(surroundings, JSON.stringify({ armored }));
        surroundings.stdout.write(armored.endsWith('\n') ? armored : `${armored}\n`);
      }),
    );
  addChanges(keyring);
}

function addChanges(keyring: Command): void {
  keyring
    .command('create')
    .summary('create the key')
    .description('Creates the key; an existing one is never replaced.')
    .option('--batch', 'submit only, without watching')
    .addHelpText('after', '\nExample:\n  rackwright keyring create')
    .action((options: { batch?: boolean }, command: Command) =>
      withSession(command, async session => {
        await submitted(
          session,
          'keyring creation',
          await session.api.createKeyring(),
          options.batch === true,
        );
      }),
    );
  keyring
    .command('renew')
    .summary('move the expiry of the key')
    .description('Lets the key and its subkey expire so long from now: 90, 90d, 12w, 6m, 2y, or 0 for never.')
    .requiredOption('--duration <span>', 'days, or a number with d, w, m or y')
    .option('--batch', 'submit only, without watching')
    .addHelpText('after', '\nExample:\n  rackwright keyring renew --duration 1y')
    .action((options: { duration: string; batch?: boolean }, command: Command) =>
      withSession(command, async session => {
        if (!/^\d+[dwmy]?$/.test(options.duration)) {
          throw new UsageError(`"${options.duration}" is not a duration such as 90, 12w, 6m or 1y`);
        }
        const id = await session.api.renewKeyring(options.duration);
        await submitted(session, 'keyring renewal', id, options.batch === true);
      }),
    );
}
