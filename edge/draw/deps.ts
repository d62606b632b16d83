/** What the routes of drawings and views are made of. */
import type { Client } from '../../proto/services.ts';

export interface DrawDeps {
  readonly drawings: Client<'DrawingService'>;
  readonly inventories: Client<'InventoryService'>;
  /** What unknown infrastructures and rooms answer. */
  readonly notFoundStatus: '404' | '400';
  /** Origins of pages that may ask, or `*`; empty = none. */
  readonly cors: readonly string[];
  /** Parameters beneath those of each request, JSON; null for none. */
  readonly defaults: string | null;
}

/** The query of a URL; `+` is a blank, as browsers write it. */
export function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}
