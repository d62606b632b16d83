/** How each piece of equipment looks: its colours by rule, and over them what is known of its state or measured of it. */
import type { Color, Parameters } from '../../proto/parameters.ts';
import { hex, mix, shade } from './color.ts';
import type { Equipment } from './inventory/model.ts';
import { expand } from './inventory/nodeset.ts';
import type { Palette } from './palette.ts';

/** A sign beside the colour, for those who can't tell colours apart. */
export interface Mark {
  readonly letter: string;
  readonly color: Color;
}

export interface Look {
  readonly background: Color;
  readonly chassis: Color;
  readonly border: Color;
  readonly top: Color;
  readonly left: Color;
  readonly mark: Mark | null;
  /** Known state or number in words, for titles; empty for none. */
  readonly words: string;
}

type StateName = keyof Parameters['overlay']['colors'];

/** What fills a node, by the words that Slurm uses. */
const BASES: Readonly<Record<string, StateName>> = {
  IDLE: 'idle',
  MIXED: 'mixed',
  MIX: 'mixed',
  ALLOCATED: 'allocated',
  ALLOC: 'allocated',
  COMPLETING: 'allocated',
  COMP: 'allocated',
  DRAINING: 'allocated',
  DRNG: 'allocated',
  DRAINED: 'idle',
  DOWN: 'down',
  ERROR: 'down',
};

/** What is marked besides, in the order of what matters more. */
const FLAGS: readonly { readonly word: RegExp; readonly letter: string; readonly color: StateName }[] = [
  { word: /^(DOWN|ERROR)$/, letter: 'X', color: 'down' },
  { word: /^FAIL/, letter: 'F', color: 'down' },
  { word: /^(DRAIN|DRNG)/, letter: 'D', color: 'drain' },
  { word: /^MAINT/, letter: 'M', color: 'maint' },
  { word: /^(RESERVED|RESV)$/, letter: 'R', color: 'reserved' },
];

/** Colours of a scale from low to high (cividis, after Nuñez, Anderton and Renslow, 2018): even in lightness. */
const SCALE: readonly Color[] = ['#00224E', '#35456C', '#666970', '#948E77', '#C8B866', '#FEE838'].map(hex);

/** A colour of the metric's scale, for a share of it. */
export function scaleColor(share: number): Color {
  const at = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
  const low = SCALE[Math.floor(at)] ?? SCALE[0];
  const high = SCALE[Math.ceil(at)] ?? low;
  return low && high ? mix(low, high, at - Math.floor(at)) : [0, 0, 0, 1];
}

/** Ends of the metric's scale: those given, else the least and the largest value. */
export function scaleEnds(metric: NonNullable<Parameters['overlay']['metric']>): readonly [number, number] {
  const values = [...metric.values.values()];
  const least = Number.isNaN(metric.min)
    ? values.reduce((a, b) => Math.min(a, b), values[0] ?? 0)
    : metric.min;
  const most = Number.isNaN(metric.max)
    ? values.reduce((a, b) => Math.max(a, b), values[0] ?? 1)
    : metric.max;
  return [least, most];
}

/** Looks of a drawing's equipment. */
export interface Looks {
  of(equipment: Equipment): Look;
  /** States that were met while drawing, for the legend. */
  readonly met: ReadonlySet<StateName>;
  readonly marks: ReadonlyMap<string, Mark>;
}

export function looksOf(palette: Palette, { overlay }: Parameters): Looks {
  const states = unfolded(overlay.states);
  const numbers = overlay.metric ? unfolded(overlay.metric.values) : new Map<string, number>();
  const [least, most] = overlay.metric ? scaleEnds(overlay.metric) : [0, 1];
  const met = new Set<StateName>();
  const marks = new Map<string, Mark>();
  return {
    met,
    marks,
    of: equipment => {
      const { background, chassis, border, top_side, left_side } = palette.equipment(equipment.set);
      const plain = { background, chassis, border, top: top_side, left: left_side, mark: null, words: '' };
      const state = states.get(equipment.name);
      const number = numbers.get(equipment.name);
      if (state === undefined && number === undefined) return plain;
      const read = state ? readState(state, overlay.colors) : null;
      if (read && number === undefined) met.add(read.name);
      if (read?.mark) marks.set(read.mark.letter, read.mark);
      const fill =
        number !== undefined
          ? scaleColor((number - least) / (most - least || 1))
          : (read?.fill ?? background);
      const told = [
        ...(state ?? []),
        ...(number === undefined ? [] : [`${number} ${overlay.metric?.unit ?? ''}`.trim()]),
      ];
      return {
        ...plain,
        background: fill,
        top: shade(fill, 1.15),
        left: shade(fill, 0.85),
        mark: read?.mark ?? null,
        words: told.join(' '),
      };
    },
  };
}

function readState(
  words: readonly string[],
  colors: Parameters['overlay']['colors'],
): { name: StateName; fill: Color; mark: Mark | null } {
  const clean: string[] = [];
  for (const word of words) {
    const upper = word.toUpperCase();
    clean.push(upper.replace(/[^A-Z_]+$/, ''));
    if (upper.endsWith('$')) clean.push('MAINT');
  }
  const flag = FLAGS.find(({ word }) => clean.some(text => word.test(text)));
  const base = clean.map(word => BASES[word]).find(name => name !== undefined);
  const name = base ?? flag?.color ?? 'unknown';
  const mark = flag ? { letter: flag.letter, color: colors[flag.color] } : null;
  return { name, fill: colors[name], mark };
}

/** Values by member; a later nodeset wins. */
function unfolded<T>(byNodeset: ReadonlyMap<string, T>): Map<string, T> {
  const found = new Map<string, T>();
  for (const [nodeset, value] of byNodeset) for (const name of expand(nodeset)) found.set(name, value);
  return found;
}
