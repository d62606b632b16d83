/** Views of an inventory: datacenters, infrastructures, nodes, racks, tags, and the database itself. */
import { writeYaml } from '../../../proto/document.ts';
import { Fault } from '../../../proto/fault.ts';
import type { ViewAnswer, ViewRequest } from '../../../proto/renderer.ts';
import { plainValue } from '../../../proto/tree.ts';
import type { Inventory } from './database.ts';
import { equipmentOf } from './model.ts';
import { fold } from './nodeset.ts';
import { schemaDocument } from './schema-view.ts';
import { datacenterView, infrastructureView, nodeViews, rackViews, typed } from './shapes.ts';

const YAML = 'application/x-yaml';
const JSON_TYPE = 'application/json';

/** Flags count by their presence alone. */
const FLAGS = ['list', 'fold', 'with_objects_types'] as const;
type Flags = Readonly<Record<(typeof FLAGS)[number], boolean>>;

/** Answers a view. Throws `invalid` and `not_found` with the documented words. */
export function view(inventory: Inventory, { view: name, filters, format }: ViewRequest): ViewAnswer {
  const database = inventory.database.version;
  const made = (mediaType: string, text: string): ViewAnswer => ({
    body: Buffer.from(text),
    mediaType,
    database,
  });
  if (name === 'schema') return made(YAML, writeYaml(schemaDocument(inventory.schema)));
  if (name === 'dump') return made(YAML, writeYaml(plainValue(inventory.tree)));
  const value = viewed(inventory, name, filters);
  const text =
    format === 'yaml' ? writeYaml(typed(value, 'with_objects_types' in filters)) : JSON.stringify(value);
  return made(format === 'yaml' ? YAML : JSON_TYPE, text);
}

function viewed(inventory: Inventory, name: string, filters: ViewRequest['filters']): unknown {
  const { database } = inventory;
  const flags = Object.fromEntries(FLAGS.map(flag => [flag, flag in filters])) as Flags;
  const tags = (filters.tags ?? '').split(',').filter(tag => tag !== '');
  const wanted = <T extends Named>(all: readonly T[]): T[] =>
    all.filter(one => fits(one, filters.name, tags));
  switch (name) {
    case 'datacenters': {
      const found = wanted(database.datacenters);
      return flags.list ? names(found, flags) : found.map(one => datacenterView(one, flags.fold));
    }
    case 'infrastructures': {
      const found = wanted(database.infrastructures);
      return flags.list ? names(found, flags) : found.map(one => infrastructureView(one, flags.fold));
    }
    case 'nodes': {
      const nodes = database.infrastructures
        .filter(one => filters.infrastructure === undefined || one.name === filters.infrastructure)
        .flatMap(one => one.parts.flatMap(part => part.sets.nodes))
        .flatMap(set => set.members)
        .filter(one => fits({ name: one.name, tags: one.set.tags }, filters.name, tags));
      return flags.list ? names(nodes, flags) : nodeViews(nodes, flags.fold);
    }
    case 'racks': {
      const racks = wanted(
        database.datacenters.flatMap(one => one.rooms.flatMap(room => room.rows.flatMap(row => row.racks))),
      );
      return flags.list ? names(racks, flags) : rackViews(racks, flags.fold);
    }
    case 'tags':
      return tagsView(inventory, filters);
    case 'diagnostics':
      return inventory.findings.map(({ level, code, file, line, column, path, message }) => ({
        level,
        code,
        file,
        line,
        column,
        path,
        message,
      }));
    default:
      throw new Fault('not_found', 'not-found', `There is no view ${name}`);
  }
}

interface Named {
  readonly name: string;
  readonly tags: readonly string[] | null;
}

function fits(one: Named, name: string | undefined, tags: readonly string[]): boolean {
  return (name === undefined || one.name === name) && tags.every(tag => one.tags?.includes(tag));
}

function names(found: readonly { readonly name: string }[], { fold: folded }: Flags): string[] {
  const all = found.map(one => one.name);
  if (!folded) return all;
  return all.length === 0 ? [] : [fold(all)];
}

/** Tags of one node, infrastructure (or of its nodes) or datacenter (or of its racks). */
function tagsView({ database }: Inventory, filters: ViewRequest['filters']): string[] {
  const { node, infrastructure, datacenter } = filters;
  const unknown = (kind: string, name: string): Fault =>
    new Fault('not_found', 'not-found', `Unable to find ${kind} ${name}`);
  if (node !== undefined) {
    for (const one of database.infrastructures)
      for (const part of one.parts)
        for (const set of part.sets.nodes)
          if (set.members.some(member => member.name === node)) return [...set.tags];
    throw unknown('node', node);
  }
  if (infrastructure !== undefined) {
    const found = database.infrastructures.find(one => one.name === infrastructure);
    if (!found) throw unknown('infrastructure', infrastructure);
    if (!has(filters, 'on_nodes')) return [...(found.tags ?? [])];
    const all = found.parts.flatMap(part => [...equipmentOf(part)].filter(one => one.set.kind === 'nodes'));
    return [...new Set(all.flatMap(one => one.set.tags))];
  }
  if (datacenter !== undefined) {
    const found = database.datacenters.find(one => one.name === datacenter);
    if (!found) throw unknown('datacenter', datacenter);
    if (!has(filters, 'on_racks')) return [...(found.tags ?? [])];
    const racks = found.rooms.flatMap(room => room.rows.flatMap(row => row.racks));
    return [...new Set(racks.flatMap(rack => rack.tags ?? []))];
  }
  throw new Fault(
    'invalid',
    'bad-input',
    'Unable to retrieve tags without node, infrastructure or datacenter',
  );
}

/** Flags may be written with hyphens, too. */
function has(filters: ViewRequest['filters'], flag: string): boolean {
  return flag in filters || flag.replaceAll('_', '-') in filters;
}
