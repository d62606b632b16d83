/** Which colours a drawing uses: the theme's, under the first rule that matches. */
import type {
  Color,
  EquipmentColors,
  EquipmentRule,
  Parameters,
  RackColors,
  RackRule,
} from '../../proto/parameters.ts';
import { BLACK, hex } from './color.ts';
import type { EquipmentSet, Rack, RackSet } from './inventory/model.ts';

interface Theme {
  readonly page: Color | null;
  readonly text: Color;
  /** Behind text that lies on other things. */
  readonly halo: Color;
  readonly equipment: EquipmentColors;
  readonly rack: RackColors;
}

function theme(
  page: string | null,
  text: string,
  halo: string,
  equipment: readonly [string, string, string, string, string, string],
  rack: readonly [string, string, string, string, string, string],
): Theme {
  const [background, chassis, border, ghost, top, left] = equipment;
  const [frame, pane, right, outside, lid, floor] = rack;
  return {
    page: page === null ? null : hex(page),
    text: hex(text),
    halo: hex(halo),
    equipment: {
      background: hex(background),
      chassis: hex(chassis),
      border: hex(border),
      ghost: hex(ghost),
      top_side: hex(top),
      left_side: hex(left),
    },
    rack: {
      frame: hex(frame),
      pane: hex(pane),
      right_side: hex(right),
      left_side: hex(outside),
      top_side: hex(lid),
      bottom_side: hex(floor),
    },
  };
}

/** `classic` has the documented defaults. */
const THEMES: Readonly<Record<Parameters['general']['theme'], Theme>> = {
  classic: theme(
    null,
    '#000000',
    '#FFFFFFCC',
    ['#999999', '#3F3F3F', '#333333', '#737373', '#BBBBBB', '#AAAAAA'],
    ['#333333', '#262626', '#000000', '#444444', '#3C3C3C', '#3C3C3C'],
  ),
  light: theme(
    '#FFFFFF',
    '#1B2733',
    '#FFFFFFCC',
    ['#CBD5DE', '#8496A5', '#2F3E4C', '#E4E9ED', '#E3E9EE', '#AEBCC8'],
    ['#52626F', '#6B7C8A', '#2D3841', '#8796A2', '#9DABB6', '#5C6C79'],
  ),
  dark: theme(
    '#12181F',
    '#E4EAF0',
    '#12181FCC',
    ['#43525F', '#222C35', '#C3D0DB', '#2A343E', '#5E7080', '#35424E'],
    ['#6A7B8B', '#2A343E', '#0B0F13', '#35424E', '#465563', '#1C242C'],
  ),
};

/** The colours of one drawing. */
export interface Palette {
  readonly page: Color | null;
  readonly text: Color;
  readonly halo: Color;
  equipment(set: EquipmentSet): EquipmentColors;
  rack(rack: Rack): RackColors;
  /** Index of the rule that equipment of a set falls under, -1 for none. */
  ruleOf(set: EquipmentSet): number;
}

/** The palette of a drawing's parameters; answers are remembered by set and by rack set. */
export function paletteOf({ general, colors }: Parameters): Palette {
  const look = THEMES[general.theme];
  const equipmentRules: readonly EquipmentRule[] = colors.equipments;
  const rackRules: readonly RackRule[] = colors.racks;
  const rules = new Map<EquipmentSet, number>();
  const equipment = new Map<number, EquipmentColors>();
  const racks = new Map<RackSet, RackColors>();
  const ruleOf = (set: EquipmentSet): number => {
    let index = rules.get(set);
    if (index === undefined) {
      index = equipmentRules.findIndex(rule => matches(rule, set.type.id, set.tags));
      rules.set(set, index);
    }
    return index;
  };
  return {
    page: general.background ?? look.page,
    text: general.text_color ?? (general.theme === 'classic' ? BLACK : look.text),
    halo: look.halo,
    ruleOf,
    equipment: set => {
      const index = ruleOf(set);
      let found = equipment.get(index);
      if (!found) {
        found = { ...look.equipment, ...equipmentRules[index] };
        equipment.set(index, found);
      }
      return found;
    },
    rack: rack => {
      let found = racks.get(rack.set);
      if (!found) {
        const rule = rackRules.find(candidate => matches(candidate, rack.type.id, rack.tags ?? []));
        found = { ...look.rack, ...rule };
        racks.set(rack.set, found);
      }
      return found;
    },
  };
}

function matches(rule: EquipmentRule | RackRule, type: string, tags: readonly string[]): boolean {
  if (rule.type !== undefined && rule.type !== null && rule.type !== type) return false;
  return (rule.tags ?? []).every(tag => tags.includes(tag));
}
