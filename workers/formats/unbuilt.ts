/** The building half of a format whose packages this version publishes but does not build. */
import { notBuiltYet } from '../../proto/buildable.ts';
import type { FormatName } from '../../proto/words.ts';
import type { Format } from './format.ts';

type Building = Pick<Format, 'createEnvironment' | 'updateEnvironment' | 'build'>;

/** Each throws `not-built-yet`: tasks that an earlier version accepted end with the same word as new ones get. */
export function unbuilt(name: FormatName): Building {
  const refuse = async (): Promise<never> => {
    throw notBuiltYet(name);
  };
  return { createEnvironment: refuse, updateEnvironment: refuse, build: refuse };
}
