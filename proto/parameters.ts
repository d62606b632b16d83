/** The drawing parameters: every property with its type, default, bounds and meaning. Validation, docs and OpenAPI read it. */

/** A colour as four shares of 1: red, green, blue, alpha. */
export type Color = readonly [number, number, number, number];

interface Facts<T> {
  readonly fallback: T;
  readonly about: string;
}

export type Property =
  | ({ readonly type: 'bool' } & Facts<boolean>)
  | ({ readonly type: 'int' | 'float'; readonly min: number; readonly max: number } & Facts<number>)
  | ({ readonly type: 'str'; readonly pattern?: RegExp; readonly longest: number } & Facts<string | null>)
  | ({ readonly type: 'choice'; readonly values: readonly string[] } & Facts<string>)
  | ({ readonly type: 'color'; readonly words?: readonly string[] } & Facts<Color | string | null>)
  | ({ readonly type: 'tags' } & Facts<readonly string[] | null>)
  | ({ readonly type: 'rules'; readonly rule: Section } & Facts<readonly unknown[]>)
  | ({ readonly type: 'states' } & Facts<ReadonlyMap<string, readonly string[]>>)
  | ({ readonly type: 'numbers' } & Facts<ReadonlyMap<string, number>>)
  | ({ readonly type: 'optional'; readonly section: Section } & Facts<null>);

export interface Section {
  readonly type: 'section';
  readonly about: string;
  readonly fields: Readonly<Record<string, Property | Section>>;
}

/** Longest list of rules, of tags, and largest map of names. */
export const MAX_RULES = 500;
export const MAX_TAGS = 1000;
export const MAX_NAMES = 10_000;

type Typed<T, P extends Property = Property> = P & { readonly fallback: T };

const bool = (fallback: boolean, about: string) => ({ type: 'bool', fallback, about }) as Typed<boolean>;
const int = (fallback: number, min: number, max: number, about: string) =>
  ({ type: 'int', fallback, min, max, about }) as Typed<number>;
const float = (fallback: number, min: number, max: number, about: string) =>
  ({ type: 'float', fallback, min, max, about }) as Typed<number>;
const str = (about: string, longest = 500, pattern?: RegExp) =>
  ({ type: 'str', fallback: null, about, longest, ...(pattern ? { pattern } : {}) }) as Typed<string | null>;
const choice = <const T extends string>(values: readonly T[], about: string) =>
  ({ type: 'choice', values, fallback: values[0], about }) as unknown as Typed<T>;
const tags = (about: string) => ({ type: 'tags', fallback: null, about }) as Typed<readonly string[] | null>;
const color = (fallback: string, about: string) =>
  ({ type: 'color', fallback: readColor(fallback), about }) as Typed<Color>;
const noColor = (about: string) => ({ type: 'color', fallback: null, about }) as Typed<Color | null>;
const section = <F extends Section['fields']>(about: string, fields: F) =>
  ({ type: 'section', about, fields }) as const;

/** Reads exactly `#RRGGBB` or `#RRGGBBAA`; null for anything else. */
export function readColor(text: string): Color | null {
  if (!/^#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/.test(text)) return null;
  const at = (from: number): number => Number.parseInt(text.slice(from, from + 2), 16) / 255;
  return [at(1), at(3), at(5), text.length === 9 ? at(7) : 1];
}

const RULE = {
  type: str('name of the type that the rule applies to; absent = any'),
  tags: tags('tags that it must have, all of them'),
};

const EQUIPMENT_RULE = section('A rule for equipment; the first that matches counts', {
  ...RULE,
  background: color('#999999', 'front'),
  chassis: color('#3F3F3F', 'what holds several beside each other'),
  border: color('#333333', 'outline and label'),
  ghost: color('#737373', 'the whole of it when it is not selected'),
  top_side: color('#BBBBBB', 'top, axonometric'),
  left_side: color('#AAAAAA', 'left side, axonometric'),
});

const RACK_RULE = section('A rule for racks; the first that matches counts', {
  ...RULE,
  frame: color('#333333', 'outline, and doors'),
  pane: color('#262626', 'the posts beside the equipment'),
  right_side: color('#000000', 'inside of the right side, axonometric'),
  left_side: color('#444444', 'outside of the left side, axonometric'),
  top_side: color('#3C3C3C', 'outside of the top side, axonometric'),
  bottom_side: color('#3C3C3C', 'inside of the bottom side, axonometric'),
});

const METRIC = section('A number for each node, shown as a colour scale with a key', {
  label: str('what is measured'),
  unit: str('its unit', 30),
  min: {
    type: 'float',
    fallback: Number.NaN,
    min: -1e15,
    max: 1e15,
    about: 'value of the first colour',
  } as Typed<number>,
  max: {
    type: 'float',
    fallback: Number.NaN,
    min: -1e15,
    max: 1e15,
    about: 'value of the last colour',
  } as Typed<number>,
  values: { type: 'numbers', fallback: new Map(), about: 'nodeset to number' } as Typed<
    ReadonlyMap<string, number>
  >,
});

/** The document's root. */
export const PARAMETERS = section('Drawing parameters', {
  general: section('General settings', {
    pixel_perfect: bool(
      false,
      'align entities on pixels at the cost of relative dimensions; flat infrastructures only',
    ),
    background: noColor('colour of the page; unset = transparent'),
    theme: choice(['classic', 'light', 'dark'], 'default colours of page, text and racks; rules still win'),
    text_color: noColor('colour of titles and labels of rows and racks; unset = the theme’s, black'),
    font: str('font family; unset = sans-serif', 100, /^[\p{L}\p{N} _.-]+$/u),
    min_font_size: int(5, 2, 12, 'smallest size of labels in pt'),
    legend: bool(false, 'the colours of rules in use and kinds, below the drawing'),
    title: str('text above the drawing; {name}, {date} and {database} are filled in'),
    footer: str('text below the drawing; {name}, {date} and {database} are filled in'),
  }),
  room: section('Room drawings', {
    racks_labels: bool(true, 'label racks with their names'),
    row_labels: bool(false, 'label rows with their names'),
    scale_bar: bool(false, 'a metric bar'),
    grid: choice(['none', 'metre', 'tiles'], 'a grid of 1 m, or of 600 mm tiles (true means metre)'),
    dimensions: bool(false, 'width and depth of the room along its sides'),
    color_by: choice(
      ['none', 'fillrate', 'infrastructure', 'tag'],
      'fill racks by what they hold, with a legend',
    ),
    axonometric: bool(false, 'rooms in three dimensions, with the angles of axonometric'),
  }),
  infrastructure: section('Infrastructure drawings', {
    equipment_labels: bool(true, 'label equipment with names'),
    equipment_tags: tags('draw only equipment that has at least one of these tags'),
    ghost_unselected: bool(false, 'draw unselected equipment as plain boxes instead of leaving it out'),
    discard_empty_racks: bool(true, 'leave out used racks that hold only unselected equipment'),
    other_racks: bool(false, 'draw also every other rack of the rows in use, as closed doors'),
    layout: choice(['faithful', 'compact'], 'compact: undrawn racks shrink to a break, rows form columns'),
    face: choice(['front', 'rear', 'both'], 'side that is seen'),
    racks: str('nodeset of the only racks to draw', 20_000),
    empty_units: bool(false, 'shade free units'),
    diagnostics: bool(false, 'hatch equipment that overlaps or stands outside its rack'),
    label_color: {
      type: 'color',
      words: ['border', 'auto'],
      fallback: 'border',
      about: 'border; auto = black or white by contrast; or a colour',
    } as Typed<Color | 'border' | 'auto'>,
    label_align: choice(['corner', 'center'], 'place of labels in their boxes'),
    label_fold: bool(false, 'one label over neighbours that are too small for their own'),
  }),
  dimensions: section('Largest size of the image; it shrinks to the aspect of the drawing', {
    width: int(1200, 1, 20_000, 'px'),
    height: int(1200, 1, 20_000, 'px'),
  }),
  margin: section('Margins', {
    top: int(30, 0, 5000, 'px above and below'),
    left: int(30, 0, 5000, 'px left and right'),
  }),
  rack: section('Racks', {
    labels: bool(true, 'label racks with their names in infrastructure drawings'),
    label_offset: int(20, 0, 1000, 'px between the label’s top edge and the rack'),
    offset: int(20, 0, 1000, 'px between rows, besides labels'),
    u_height: float(44.45, 1, 1000, 'mm of one rack unit'),
    pane_width: int(40, 0, 1000, 'mm of each post, in infrastructure drawings'),
    spacing: int(3, 0, 1000, 'px between racks in infrastructure drawings'),
    door_depth: int(50, 0, 10_000, 'mm of a door in room drawings'),
    u_numbers: choice(['none', 'left', 'right', 'both'], 'unit numbers on the posts'),
    fill_rate: bool(false, 'percentage in use and free units under the rack’s name'),
  }),
  row: section('Rows of racks', {
    labels: bool(true, 'label rows with their names in infrastructure drawings'),
    label_offset: int(20, 0, 1000, 'px kept for the row’s label'),
  }),
  colors: section('Coloring rules', {
    equipments: {
      type: 'rules',
      rule: EQUIPMENT_RULE,
      fallback: [],
      about: 'rules for equipment',
    } as unknown as Typed<readonly EquipmentRule[]>,
    racks: {
      type: 'rules',
      rule: RACK_RULE,
      fallback: [],
      about: 'rules for racks',
    } as unknown as Typed<readonly RackRule[]>,
  }),
  axonometric: section('Axonometric drawings', {
    enabled: bool(false, 'draw infrastructures in axonometric projection'),
    angles: section('Angles of the grid', {
      x: int(30, 0, 90, 'degrees of the depth'),
      z: int(30, 0, 89, 'degrees of the width'),
    }),
  }),
  overlay: section('What is known of nodes besides', {
    states: {
      type: 'states',
      fallback: new Map(),
      about: 'nodeset to Slurm state or list of states',
    } as Typed<ReadonlyMap<string, readonly string[]>>,
    colors: section('Colours of states, told apart by the colour-blind too', {
      idle: color('#009E73', 'idle'),
      mixed: color('#F0E442', 'mixed'),
      allocated: color('#0072B2', 'allocated'),
      drain: color('#CC79A7', 'draining or drained'),
      down: color('#D55E00', 'down or failed'),
      maint: color('#56B4E9', 'in maintenance'),
      reserved: color('#E69F00', 'reserved'),
      unknown: color('#999999', 'any other'),
    }),
    metric: {
      type: 'optional',
      section: METRIC,
      fallback: null,
      about: METRIC.about,
    } as unknown as Typed<Shape<typeof METRIC> | null>,
  }),
  svg: section('SVG', {
    text: choice(['text', 'paths'], 'real text, or outlines of glyphs'),
    metadata: bool(true, 'ids, classes, data attributes and titles of items'),
    link_template: str(
      'address of a link on each item, with {name}, {rack} and {kind}',
      2000,
      /^(?:https?:\/\/|(?![a-zA-Z][a-zA-Z0-9+.-]*:)(?!\/\/))[^\s\x00-\x20\\]*$/,
    ),
    dark_mode: bool(false, 'colours that follow the reader’s preference for dark pages'),
  }),
  pdf: section('PDF', {
    page: choice(['image', 'a4', 'a3', 'letter'], 'one page of the image’s size, or sheets'),
    orientation: choice(['auto', 'portrait', 'landscape'], 'of sheets'),
    racks_per_page: int(0, 0, 1000, '0 = as many as keep labels of 5 pt'),
    text: choice(['embedded', 'paths'], 'text to select and search, or outlines of glyphs'),
  }),
});

/** The values of a section. */
export type Shape<S> = S extends { readonly type: 'section'; readonly fields: infer F }
  ? {
      readonly [K in keyof F]: F[K] extends Section
        ? Shape<F[K]>
        : F[K] extends { fallback: infer T }
          ? T
          : never;
    }
  : never;

/** All parameters, validated, defaults filled in. */
export type Parameters = Shape<typeof PARAMETERS>;
export type EquipmentColors = Omit<Shape<typeof EQUIPMENT_RULE>, 'type' | 'tags'>;
export type RackColors = Omit<Shape<typeof RACK_RULE>, 'type' | 'tags'>;
/** A rule as it was given: what it leaves out is not there. */
export type EquipmentRule = Partial<Shape<typeof EQUIPMENT_RULE>>;
export type RackRule = Partial<Shape<typeof RACK_RULE>>;

/** Other spellings of root names: those of the first documents beside those of the tool. */
export const ROOT_ALIASES: Readonly<Record<string, string>> = {
  rooms: 'room',
  infrastructures: 'infrastructure',
};
