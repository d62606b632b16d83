/** `rackwright list` and `rackwright history`: tasks that run, wait or have finished. */
import { type Command, InvalidArgumentError } from 'commander';
import { showTasks } from './blocks.ts';
import type { GeneralOptions } from './program.ts';
import { withSession } from './session.ts';
import { print } from './surroundings.ts';
import { submitted } from './watch.ts';

/** Finished tasks shown unless told. */
const HISTORY = 10;

/** Adds `list`. */
export function addListCommand(program: Command): void {
  program
    .command('list')
    .summary('list running and pending tasks')
    .description('Lists the tasks that run and those that wait, next to run first.')
    .addHelpText('after', '\nExample:\n  rackwright --uri https://build.example.org/default list')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ api, surroundings, json }) => {
        const [running, pending] = await Promise.all([api.running(), api.pending()]);
        if (json) return print(surroundings, JSON.stringify({ running, pending }));
        const list = (tasks: typeof running, word: string): string =>
          tasks.length === 0
            ? `No ${word} task\n`
            : `${word[0]?.toUpperCase()}${word.slice(1)} tasks:\n${showTasks(tasks)}`;
        surroundings.stdout.write(list(running, 'running') + list(pending, 'pending'));
      }),
    );
}

interface HistoryOptions extends GeneralOptions {
  readonly limit: number;
  readonly batch?: boolean;
  readonly policy?: string;
}

/** Adds `history`. */
export function addHistoryCommand(program: Command): void {
  const history = program
    .command('history')
    .summary('list or purge finished tasks')
    .description('Finished tasks: list them (the default), or purge old ones.')
    .addHelpText(
      'after',
      '\nExample:\n  rackwright history --json | jq -r .[].result\n  rackwright history purge --policy older:90d',
    );
  history
    .command('list', { isDefault: true })
    .summary('list finished tasks, newest first')
    .description('Lists finished tasks, newest first.')
    .option('--limit <n>', 'how many', readLimit, HISTORY)
    .addHelpText('after', '\nExample:\n  rackwright history list --limit 50')
    .action((options: HistoryOptions, command: Command) =>
      withSession(command, async ({ api, surroundings, json }) => {
        const tasks = await api.history(options.limit);
        if (json) return print(surroundings, JSON.stringify(tasks));
        surroundings.stdout.write(
          tasks.length === 0 ? 'No finished task\n' : `Finished tasks:\n${showTasks(tasks)}`,
        );
      }),
    );
  history
    .command('purge')
    .summary('remove old tasks')
    .description(
      'Removes old tasks with their journals, by a purge policy: older:90d, last:100, each:5, size:10GB.',
    )
    .option('--policy <policy>', "purge policy (default: the server's setting)")
    .option('--batch', 'submit only, without watching')
    .addHelpText('after', '\nExample:\n  rackwright history purge --policy each:5 --batch')
    .action((options: HistoryOptions, command: Command) =>
      withSession(command, async session => {
        const id = await session.api.purgeHistory(options.policy);
        await submitted(session, 'history purge', id, options.batch === true);
      }),
    );
}

/** A count from 1 to 1,000, the most that a server answers at once. */
function readLimit(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 1000) {
    throw new InvalidArgumentError('Not a number from 1 to 1000.');
  }
  return Number(text);
}
