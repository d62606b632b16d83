/** Finds equipment of a rack that overlaps other equipment or stands outside, in time near linear in its units. */
import type { Equipment, Rack } from './model.ts';

/** Units of equipment that are looked at in one rack. */
const MAX_UNITS = 1_000_000;
/** Shares of a rack's width closer than this are one edge. */
const EDGE = 1e-9;

/** Equipment that overlaps other, with the first that it meets; each is told once. */
export function overlapsOf(rack: Rack): [Equipment, Equipment][] {
  const levels = new Map<number, { from: number; to: number; equipment: Equipment }[]>();
  let units = 0;
  for (const equipment of rack.equipment) {
    const { type } = equipment.set;
    const share = type.width.p / type.width.q;
    const from = equipment.position.width * share;
    units += type.height;
    if (units > MAX_UNITS) break;
    for (let level = 0; level < type.height; level++) {
      const span = { from, to: from + share, equipment };
      const here = levels.get(equipment.position.height + level);
      if (here) here.push(span);
      else levels.set(equipment.position.height + level, [span]);
    }
  }
  const met = new Set<Equipment>();
  const pairs: [Equipment, Equipment][] = [];
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    const spans = (levels.get(level) ?? []).sort((a, b) => a.from - b.from);
    let widest = spans[0];
    for (const span of spans.slice(1)) {
      if (!widest) break;
      if (
        span.from < widest.to - EDGE &&
        !met.has(span.equipment) &&
        !isBehind(span.equipment, widest.equipment, rack)
      ) {
        met.add(span.equipment);
        pairs.push([span.equipment, widest.equipment]);
      }
      if (span.to > widest.to) widest = span;
    }
  }
  return pairs;
}

/** Whether two stand back to back: mounted on opposite sides, both depths known and small enough. */
function isBehind(a: Equipment, b: Equipment, rack: Rack): boolean {
  const [one, other] = [a.set.type, b.set.type];
  if (one.depth === null || other.depth === null || one.face === other.face) return false;
  return one.face !== 'both' && other.face !== 'both' && one.depth + other.depth <= rack.type.depth;
}

/** Whether equipment leaves its rack: `below` its bottom or `above` its top. */
export function outside(rack: Rack, equipment: Equipment): 'below' | 'above' | null {
  const { height } = equipment.position;
  if (height < 0) return 'below';
  return height + equipment.set.type.height > rack.type.slots ? 'above' : null;
}
