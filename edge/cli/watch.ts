/** `rackwright watch`, and what every verb that submits a task does next: show it until its end, or only name it. */
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { LEVEL } from '../../proto/frame.ts';
import { showSpan } from './blocks.ts';
import { colourful, type Display, openDisplay } from './display.ts';
import { EXIT } from './exit.ts';
import { exitOf, followTask, type Outcome } from './follow.ts';
import { type Session, withSession } from './session.ts';
import { print, say } from './surroundings.ts';

/** Adds the verb. */
export function addWatchCommand(program: Command): void {
  program
    .command('watch')
    .argument('[id]', 'task, running, waiting or finished (default: the running one)')
    .summary("show a task's output until its end")
    .description(
      "Shows a task's output from its start and follows it until its end.\n" +
        'The output goes to standard output, messages about it to standard error; the exit code tells the result.',
    )
    .addHelpText('after', '\nExample:\n  rackwright watch 5d0c2a5e-9c1f-4e0b-8a77-3f1f2f8f7a10 > build.log')
    .action((id: string | undefined, _options: unknown, command: Command) =>
      withSession(command, async session => {
        // Asked for first, so that a task that is not there is told at once.
        const task = id === undefined ? await runningTask(session) : (await session.api.task(id)).id;
        await watchTask(session, task);
      }),
    );
}

async function runningTask(session: Session): Promise<string> {
  const [task, ...others] = await session.api.running();
  if (!task)
    throw new Fault(
      'not_found',
      'not-found',
      'no task is running; `rackwright history` lists those that did',
    );
  if (others.length > 0)
    say(session.surroundings, `${others.length + 1} tasks are running; this is ${task.id}`);
  return task.id;
}

/** Shows a task until its end and sets the exit code. Ctrl-C ends the watching, never the task. */
export async function watchTask(session: Session, id: string): Promise<Outcome> {
  const { surroundings, api } = session;
  const shown = openDisplay(surroundings, session);
  let lastError = '';
  const display: Display = {
    ...shown,
    message: (level, text) => {
      if (level >= LEVEL.error) lastError = text;
      shown.message(level, text);
    },
  };
  const abort = new AbortController();
  const release = surroundings.onStop(() => abort.abort());
  const started = surroundings.now();
  // Whoever stops reading before the end, such as head, has not seen it succeed.
  surroundings.exit.code = EXIT.unknown;
  let outcome: Outcome;
  try {
    outcome = await followTask(id, { api, display, now: surroundings.now, signal: abort.signal });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    display.close();
    say(surroundings, `Stopped watching; the task goes on. See it again with: rackwright watch ${id}`);
    surroundings.exit.code = EXIT.interrupted;
    return { result: null, reason: '' };
  } finally {
    release();
    display.close();
  }
  if (session.json) print(surroundings, JSON.stringify({ event: 'end', task: id, ...outcome }));
  else {
    // The reason of a failure stands there already, as the task's own last message.
    const reason = outcome.reason === lastError ? '' : outcome.reason;
    tellEnd(session, { ...outcome, reason }, (surroundings.now() - started) / 1000);
  }
  surroundings.exit.code = exitOf(outcome);
  return outcome;
}

function tellEnd({ surroundings }: Session, { result, reason }: Outcome, seconds: number): void {
  const colours = colourful(surroundings);
  const paint = (code: number, text: string): string => (colours ? `\x1b[1;${code}m${text}\x1b[0m` : text);
  const because = reason === '' ? '' : `: ${reason}`;
  if (result === 'success') say(surroundings, `${paint(32, 'Task succeeded')} (${showSpan(seconds)})`);
  else if (result === 'cancelled') say(surroundings, `${paint(33, 'Task was cancelled')}${because}`);
  else if (result !== null) say(surroundings, `${paint(31, 'Task failed')}${because} (${showSpan(seconds)})`);
  else say(surroundings, "The output ended without an end, and the task's result can't be read");
}

/** Names a task that was submitted; then watches it, unless it was submitted in a batch. */
export async function submitted(session: Session, what: string, id: string, batch: boolean): Promise<void> {
  const { surroundings, json } = session;
  if (json) print(surroundings, JSON.stringify({ event: 'submitted', task: id }));
  else if (batch) print(surroundings, `Submitted ${what} task ${id}`);
  else say(surroundings, `Submitted ${what} task ${id}`);
  if (!batch) await watchTask(session, id);
}

/** Handles several submitted tasks one after the other; the worst exit code stays. */
export async function submittedAll(
  session: Session,
  tasks: readonly { readonly what: string; readonly id: string }[],
  batch: boolean,
): Promise<void> {
  let worst: number = EXIT.done;
  for (const { what, id } of tasks) {
    await submitted(session, what, id, batch);
    if (session.surroundings.exit.code === EXIT.interrupted) return;
    worst = Math.max(worst, session.surroundings.exit.code);
  }
  session.surroundings.exit.code = worst;
}
