/** `rackwright cancel` and `rackwright retry`. */
import type { Command } from 'commander';
import { withSession } from './session.ts';
import { print, say } from './surroundings.ts';
import { submitted, watchTask } from './watch.ts';

/** Adds `cancel`. */
export function addCancelCommand(program: Command): void {
  program
    .command('cancel')
    .argument('<id>', 'task that waits or runs')
    .summary('cancel a task')
    .description(
      'Cancels a task. One that runs is ended with all its processes; a publication that has begun is completed or\n' +
        'undone first. With --wait its end is awaited.',
    )
    .option('--wait', 'wait until it has ended')
    .addHelpText('after', '\nExample:\n  rackwright cancel 5d0c2a5e-9c1f-4e0b-8a77-3f1f2f8f7a10')
    .action((id: string, options: { wait?: boolean }, command: Command) =>
      withSession(command, async session => {
        await session.api.cancelTask(id);
        if (options.wait) {
          const { result } = await watchTask(session, id);
          // What was asked for has come true.
          if (result === 'cancelled') session.surroundings.exit.code = 0;
        } else if (session.json)
          print(session.surroundings, JSON.stringify({ event: 'cancelling', task: id }));
        else say(session.surroundings, `Cancelling task ${id}`);
      }),
    );
}

/** Adds `retry`. */
export function addRetryCommand(program: Command): void {
  program
    .command('retry')
    .argument('<id>', 'finished task')
    .summary('submit a task again')
    .description('Submits a new task with the same input as a finished one, and watches it.')
    .option('--batch', 'submit only, without watching')
    .addHelpText('after', '\nExample:\n  rackwright retry 5d0c2a5e-9c1f-4e0b-8a77-3f1f2f8f7a10')
    .action((id: string, options: { batch?: boolean }, command: Command) =>
      withSession(command, async session => {
        const task = await session.api.retryTask(id);
        await submitted(session, 'retry', task, options.batch === true);
      }),
    );
}
