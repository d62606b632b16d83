/** RPM packages: published, not built yet. */
import { publishRpm } from '../../registry/rpm-publish.ts';
import type { Format } from '../format.ts';
import { unbuilt } from '../unbuilt.ts';

/** The entry of the table of formats. */
export const rpm: Format = { ...unbuilt('rpm'), publish: publishRpm };
