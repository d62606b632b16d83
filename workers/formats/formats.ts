/** The table of formats: a further one is a folder beside this file and a line here. */
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import { deb } from './deb/format.ts';
import type { Format } from './format.ts';

/** A format that this version only knows by name. */
function later(name: FormatName): Format {
  const refuse = async (): Promise<never> => {
    throw new Fault('unavailable', 'not-built-yet', `this version can't build or publish format ${name} yet`);
  };
  return {
    createEnvironment: refuse,
    updateEnvironment: refuse,
    build: refuse,
    publish: refuse,
    unpublish: refuse,
  };
}

const FORMATS: Readonly<Record<FormatName, Format>> = { deb, rpm: later('rpm'), osi: later('osi') };

/** How a format is built and published. */
export function formatOf(name: FormatName): Format {
  return FORMATS[name];
}
