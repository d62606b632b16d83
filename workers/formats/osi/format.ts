/** Operating system images: published and taken out, not built yet. */
import { publishOsi, unpublishOsi } from '../../registry/osi-publish.ts';
import type { Format } from '../format.ts';
import { unbuilt } from '../unbuilt.ts';

/** The entry of the table of formats. */
export const osi: Format = { ...unbuilt('osi'), publish: publishOsi, unpublish: unpublishOsi };
