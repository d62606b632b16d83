/** What a well-typed inventory must keep to besides: sizes that can be drawn, slots in their bounds. */
import type { Finding } from '../../../proto/tree.ts';
import { finding, type Item, type Load, type Nodeset } from './load.ts';
import type { Fraction } from './values.ts';

/** Highest slot of a row. */
const MAX_SLOT = 9999;
/** Largest number that a unit of equipment may carry, either sign. */
const MAX_UNIT = 99_999;

const EQUIPMENT = [
  'RacksDBNode',
  'RacksDBStorageEquipment',
  'RacksDBNetworkEquipment',
  'RacksDBMiscEquipment',
];
const TYPES = ['RacksDBNodeType', 'RacksDBStorageType', 'RacksDBNetworkType', 'RacksDBMiscType'];

/** Errors that the schema can't tell. */
export function checkRules(load: Load): Finding[] {
  const findings: Finding[] = [];
  const fault = (item: Item, property: string, message: string): void => {
    const place = item.places.get(property) ?? item.place;
    findings.push(finding('error', 'bad-value', place, `${item.path}.${property}`, message));
  };
  const items = (...types: readonly string[]): Item[] => types.flatMap(type => load.items.get(type) ?? []);
  for (const item of items('RacksDBRackType'))
    for (const property of ['height', 'width', 'depth', 'slots'])
      if (item.values.get(property) === 0) fault(item, property, 'must be above 0');
  for (const item of items('RacksDBRoomDimensions'))
    for (const property of ['width', 'depth'])
      if (item.values.get(property) === 0) fault(item, property, 'must be above 0');
  for (const item of items('RacksDBRack')) {
    const slot = item.values.get('slot');
    const names = item.values.get('name') as Nodeset | undefined;
    const last = Number(slot) + (names?.members.length ?? 1) - 1;
    if (typeof slot === 'number' && (slot < 0 || last > MAX_SLOT))
      fault(item, 'slot', `slots ${slot} to ${last} are not between 0 and ${MAX_SLOT}`);
  }
  for (const item of items(...EQUIPMENT)) {
    const slot = item.values.get('slot');
    if (typeof slot === 'number' && Math.abs(slot) > MAX_UNIT)
      fault(item, 'slot', `must be between ${-MAX_UNIT} and ${MAX_UNIT}`);
    const column = item.values.get('column');
    if (typeof column === 'number' && (column < 0 || column > MAX_UNIT))
      fault(item, 'column', `must be between 0 and ${MAX_UNIT}`);
  }
  for (const item of items(...TYPES)) {
    const face = item.values.get('face');
    if (face !== undefined && !['front', 'rear', 'both'].includes(String(face)))
      fault(item, 'face', 'must be front, rear or both');
    if (item.values.get('height') === 0) fault(item, 'height', 'must be above 0');
    const width = item.values.get('width') as Fraction | undefined;
    if (width && width.q / width.p > 1000) fault(item, 'width', 'must be 1/1000 or more');
  }
  return findings;
}
