/** Operating system images: published, not built yet. */
import { publishOsi } from '../../registry/osi-publish.ts';
import type { Format } from '../format.ts';
import { unbuilt } from '../unbuilt.ts';

/** The entry of the table of formats. */
export const osi: Format = { ...unbuilt('osi'), publish: publishOsi };
