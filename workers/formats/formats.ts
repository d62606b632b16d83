/** The table of artifact formats. Adding one is a folder beside it and a line in it. */
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import { createDebEnvironment, updateDebEnvironment } from './deb/environment.ts';
import type { Format } from './format.ts';

function missing(what: string): () => Promise<never> {
  return async () => {
    throw new Fault('unavailable', 'not-built-yet', `${what} is not built yet`);
  };
}

const absent = (name: FormatName): Format => ({
  createEnvironment: missing(`the format ${name}`),
  updateEnvironment: missing(`the format ${name}`),
  build: missing(`the format ${name}`),
  publish: missing(`the format ${name}`),
  unpublish: missing(`the format ${name}`),
});

const FORMATS: Readonly<Record<FormatName, Format>> = {
  deb: { ...absent('deb'), createEnvironment: createDebEnvironment, updateEnvironment: updateDebEnvironment },
  rpm: absent('rpm'),
  osi: absent('osi'),
};

export function formatOf(name: FormatName): Format {
  return FORMATS[name];
}
