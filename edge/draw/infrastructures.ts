/** Whether the inventory has an infrastructure, remembered for a moment: agents are asked for it by every gateway. */
import type { Client } from '../../proto/services.ts';

/** Milliseconds that an answer is used again. */
const REMEMBERED = 30_000;
/** Milliseconds that the daemon gets; who asks must not wait for one that is away. */
const PATIENCE = 2000;

type View = readonly { readonly name: string }[];

/** Makes the function that tells. `now` is in milliseconds. */
export function rememberInfrastructures(
  inventories: Client<'InventoryService'>,
  now: () => number,
): (name: string) => Promise<boolean> {
  let known: { names: Promise<ReadonlySet<string>>; until: number } | null = null;
  return async name => {
    if (known === null || known.until <= now()) {
      // No daemon, no inventory and a refused one are alike: there is nothing to draw.
      const names = readNames(inventories).catch(() => new Set<string>());
      known = { names, until: now() + REMEMBERED };
    }
    return (await known.names).has(name);
  };
}

async function readNames(inventories: Client<'InventoryService'>): Promise<ReadonlySet<string>> {
  const pieces: Buffer[] = [];
  const request = { view: 'infrastructures', filters: {}, format: 'json' };
  for await (const piece of inventories.getView(request, { timeout: PATIENCE }))
    pieces.push(Buffer.from(piece.json));
  const view = JSON.parse(Buffer.concat(pieces).toString('utf8')) as View;
  return new Set(view.map(one => one.name));
}
