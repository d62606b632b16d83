/** The building half of a format whose packages this version publishes but does not build. */
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import type { Format } from './format.ts';

type Building = Pick<Format, 'createEnvironment' | 'updateEnvironment' | 'build'>;

/** Each throws `not-built-yet` and says which way packages of that format come in instead. */
export function unbuilt(name: FormatName): Building {
  const refuse = async (): Promise<never> => {
    throw new Fault(
      'unavailable',
      'not-built-yet',
      `this version can't build format ${name} yet; its registry takes what is imported or promoted`,
      { format: name },
    );
  };
  return { createEnvironment: refuse, updateEnvironment: refuse, build: refuse };
}
