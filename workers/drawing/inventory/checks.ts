/** What is doubtful in an inventory that can be drawn all the same: overlaps, items out of place, names used twice. */
import type { Finding } from '../../../proto/tree.ts';
import { emptyWidthOf, rowPlaces } from '../row-places.ts';
import { finding, type Item } from './load.ts';
import { type Database, type Equipment, equipmentOf, type Rack, type Room, type Row } from './model.ts';
import { outside, overlapsOf } from './overlaps.ts';

/** Findings of one kind that are told; the rest is left out. */
const MAX_TOLD = 200;

/** All warnings of a database. */
export function check(database: Database): Finding[] {
  const told = new Told();
  const racks: Rack[] = [];
  for (const datacenter of database.datacenters)
    for (const room of datacenter.rooms) {
      checkRoom(room, emptyWidthOf(database.rackTypes), told);
      for (const row of room.rows) racks.push(...row.racks);
    }
  checkNames(racks, told);
  for (const infrastructure of database.infrastructures) {
    const seen = new Map<string, Equipment>();
    for (const part of infrastructure.parts)
      for (const equipment of equipmentOf(part)) {
        if (seen.has(equipment.name)) {
          const message = `${equipment.name} is there twice in infrastructure ${infrastructure.name}`;
          told.warn('equipment-twice', equipment.set.item, message);
        }
        seen.set(equipment.name, equipment);
      }
  }
  for (const rack of racks) checkRack(rack, told);
  return told.findings;
}

class Told {
  readonly findings: Finding[] = [];
  readonly #counts = new Map<string, number>();

  warn(code: string, item: Item, message: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= MAX_TOLD) this.findings.push(finding('warning', code, item.place, item.path, message));
  }
}

function checkNames(racks: readonly Rack[], told: Told): void {
  const seen = new Set<string>();
  for (const rack of racks) {
    if (seen.has(rack.name)) told.warn('rack-twice', rack.set.item, `rack ${rack.name} is there twice`);
    seen.add(rack.name);
  }
}

function checkRack(rack: Rack, told: Told): void {
  for (const equipment of rack.equipment) {
    const { item } = equipment.set;
    const where = outside(rack, equipment);
    if (where === 'below')
      told.warn('below-rack', item, `${equipment.name} stands below the bottom of rack ${rack.name}`);
    if (where === 'above')
      told.warn('above-rack', item, `${equipment.name} reaches above the top of rack ${rack.name}`);
  }
  for (const [one, other] of overlapsOf(rack))
    told.warn('overlap', one.set.item, `${one.name} overlaps ${other.name} in rack ${rack.name}`);
}

type Corners = readonly (readonly [number, number])[];

function checkRoom(room: Room, emptyWidth: number, told: Told): void {
  const grid = new Map<string, { rack: Rack; row: Row; corners: Corners }[]>();
  const cell = Math.max(
    1,
    ...room.rows.flatMap(row => row.racks.map(rack => Math.max(rack.type.width, rack.type.depth))),
  );
  for (const row of room.rows) {
    const slots = new Set<number>();
    for (const { rack, x } of rowPlaces(row, emptyWidth, width => width)) {
      if (slots.has(rack.slot))
        told.warn(
          'slot-twice',
          rack.set.item,
          `rack ${rack.name} stands on a slot of row ${row.name} that is taken`,
        );
      slots.add(rack.slot);
      const corners = cornersOf(row, x, rack);
      if (corners.some(([cx, cy]) => cx < -1 || cy < -1 || cx > room.width + 1 || cy > room.depth + 1))
        told.warn(
          'outside-room',
          rack.set.item,
          `rack ${rack.name} stands outside room ${room.name} in part`,
        );
      const met = new Set<Rack>();
      for (const key of cells(corners, cell)) {
        const others = grid.get(key);
        if (!others) {
          grid.set(key, [{ rack, row, corners }]);
          continue;
        }
        for (const other of others) {
          if (other.row === row || met.has(other.rack) || !intersect(corners, other.corners)) continue;
          met.add(other.rack);
          told.warn(
            'racks-intersect',
            rack.set.item,
            `rack ${rack.name} intersects rack ${other.rack.name} of row ${other.row.name}`,
          );
        }
        if (others.length < MAX_TOLD) others.push({ rack, row, corners });
      }
    }
  }
}

function cornersOf(row: Row, x: number, rack: Rack): Corners {
  const angle = (row.rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const { width, depth } = rack.type;
  return [
    [x, 0],
    [x + width, 0],
    [x + width, depth],
    [x, depth],
  ].map(([px = 0, py = 0]) => [row.x + px * cos - py * sin, row.y + px * sin + py * cos]);
}

function* cells(corners: Corners, cell: number): Generator<string> {
  const xs = corners.map(([x]) => Math.floor(x / cell));
  const ys = corners.map(([, y]) => Math.floor(y / cell));
  for (let x = Math.min(...xs); x <= Math.max(...xs); x++)
    for (let y = Math.min(...ys); y <= Math.max(...ys); y++) yield `${x} ${y}`;
}

/** Whether two convex shapes share more than an edge (a millimetre is forgiven): no axis separates them. */
function intersect(a: Corners, b: Corners): boolean {
  for (const shape of [a, b])
    for (const [index, [x, y]] of shape.entries()) {
      const [nx, ny] = shape[(index + 1) % shape.length] ?? [x, y];
      const length = Math.hypot(nx - x, ny - y) || 1;
      const axis = [(ny - y) / length, (x - nx) / length] as const;
      const [a1, a2] = extent(a, axis);
      const [b1, b2] = extent(b, axis);
      if (a2 <= b1 + 1 || b2 <= a1 + 1) return false;
    }
  return true;
}

function extent(corners: Corners, [ax, ay]: readonly [number, number]): [number, number] {
  const along = corners.map(([x, y]) => x * ax + y * ay);
  return [Math.min(...along), Math.max(...along)];
}
