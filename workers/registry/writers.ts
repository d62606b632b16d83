/** The table of formats: who writes a registry's next generation. */
import type { FormatName } from '../../proto/words.ts';
import { publishAptChange } from './apt-publish.ts';
import { publishOsiChange } from './osi-publish.ts';
import type { WriteChange } from './publish.ts';
import { publishRpmChange } from './rpm-publish.ts';

export const WRITERS: Readonly<Record<FormatName, WriteChange>> = {
  deb: publishAptChange,
  rpm: publishRpmChange,
  osi: publishOsiChange,
};
