/** The place in a registry that a verb is about, and the end of every verb that changes one. */
import type { Command } from 'commander';
import type { Place } from './api.ts';
import { formatOf } from './choose.ts';
import type { GeneralOptions } from './program.ts';
import { type Session, withSession } from './session.ts';
import { submitted } from './watch.ts';

export interface PlaceOptions extends GeneralOptions {
  readonly distribution: string;
  readonly derivative: string;
}

export interface ChangeOptions extends PlaceOptions {
  readonly batch?: boolean;
}

/** Gives a verb the options that name a place. */
export function placed(command: Command): Command {
  return command
    .requiredOption('-d, --distribution <name>', 'distribution')
    .option('--derivative <name>', 'derivative', 'main');
}

/** The same for a verb that submits a task. */
export function changing(command: Command): Command {
  return placed(command).option('--batch', 'submit only, without watching');
}

export async function placeOf({ api }: Session, { distribution, derivative }: PlaceOptions): Promise<Place> {
  return { format: await formatOf(api, distribution), distribution, derivative };
}

/** Submits one task about a place, then shows it unless it is for a batch. `what` names it. */
export function change(
  command: Command,
  options: ChangeOptions,
  what: string,
  submit: (session: Session, place: Place) => Promise<string>,
): Promise<void> {
  return withSession(command, async session => {
    const id = await submit(session, await placeOf(session, options));
    await submitted(session, what, id, options.batch === true);
  });
}
