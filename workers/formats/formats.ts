/** The table of formats: a further one is a folder beside this file and a line here. */
import type { FormatName } from '../../proto/words.ts';
import { deb } from './deb/format.ts';
import type { Format } from './format.ts';
import { osi } from './osi/format.ts';
import { rpm } from './rpm/format.ts';

const FORMATS: Readonly<Record<FormatName, Format>> = { deb, rpm, osi };

/** How a format is built and published. */
export function formatOf(name: FormatName): Format {
  return FORMATS[name];
}
