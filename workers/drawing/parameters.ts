/** Reads drawing parameters: documents and query settings, validated whole, merged over defaults, then frozen. */
import { readTree } from '../../proto/document.ts';
import { Fault } from '../../proto/fault.ts';
import {
  MAX_RULES,
  PARAMETERS,
  type Parameters,
  type Property,
  ROOT_ALIASES,
  type Section,
} from '../../proto/parameters.ts';
import type { DrawingRequest } from '../../proto/renderer.ts';
import type { Finding, Place, Tree, TreeEntry } from '../../proto/tree.ts';
import { nearest } from './nearest.ts';
import { readProperty } from './property.ts';

/** Values that a document gives; sections are null-prototype objects with known names only. */
type Sparse = { [name: string]: unknown };

/** Faults that a message tells; the answer's list has more. */
const TOLD = 10;
const MAX_FAULTS = 100;

/** What a request's parameters are, with the warnings of its documents. */
export interface ReadParameters {
  readonly parameters: Parameters;
  readonly warnings: readonly Finding[];
}

/** Parameters of a request: its documents from the lowest up, then its own, then its settings. Throws a Fault. */
export function readParameters(
  request: Pick<DrawingRequest, 'parameters' | 'syntax' | 'settings' | 'defaults' | 'source'>,
): ReadParameters {
  const reader = new ParametersReader();
  const layers = request.defaults.map(({ source, text }) => reader.document(text, source, 'yaml'));
  layers.push(reader.document(request.parameters, request.source ?? '', request.syntax));
  if (request.settings.length > 0) layers.push(reader.section(treeOf(request.settings), PARAMETERS, ''));
  if (reader.faults.length > 0) throw refusal(reader.faults);
  const sparse = layers.reduce((below, above) => laidOver(below, above, PARAMETERS));
  return { parameters: filled(sparse, PARAMETERS) as Parameters, warnings: reader.warnings };
}

/** One reading of a request's parameters. */
class ParametersReader {
  readonly faults: Finding[] = [];
  readonly warnings: Finding[] = [];

  document(text: string, source: string, syntax: 'yaml' | 'json'): Sparse {
    if (text.trim() === '') return Object.create(null) as Sparse;
    const { tree, findings } = readTree(text, source, syntax);
    for (const finding of findings) (finding.level === 'error' ? this.faults : this.warnings).push(finding);
    if (!tree) return Object.create(null) as Sparse;
    if (tree.kind === 'list' && tree.items.length === 0) return Object.create(null) as Sparse;
    return this.section(tree, PARAMETERS, '');
  }

  section(tree: Tree, section: Section, path: string): Sparse {
    const values = Object.create(null) as Sparse;
    if (tree.kind === 'scalar' && tree.value === null) return values;
    if (tree.kind !== 'map') {
      this.#fault(tree, path, 'must be a mapping');
      return values;
    }
    const given = new Map<string, string>();
    for (const [written, entry] of tree.entries) {
      const name =
        path === '' && Object.hasOwn(ROOT_ALIASES, written) ? (ROOT_ALIASES[written] ?? '') : written;
      const earlier = given.get(name);
      if (earlier !== undefined)
        this.#fault(entry.key, written, `means the same as ${earlier}: give one of them`);
      given.set(name, written);
      this.#entry(values, section, name, entry, path === '' ? written : `${path}.${written}`);
    }
    return values;
  }

  #entry(values: Sparse, section: Section, name: string, entry: TreeEntry, path: string): void {
    const known = Object.hasOwn(section.fields, name) ? section.fields[name] : undefined;
    const place = entry.value.line > 0 ? entry.value : entry.key;
    if (!known) {
      const names = [
        ...Object.keys(section.fields),
        ...(path.includes('.') ? [] : Object.keys(ROOT_ALIASES)),
      ];
      this.#fault(entry.key, path, 'unknown property', nearest(name, names));
    } else if (known.type === 'section') {
      if (isNull(entry.value)) return;
      values[name] = this.section(entry.value, known, path);
    } else {
      const told = this.faults.length;
      const value = this.#property(entry.value, known, path, place);
      if (this.faults.length === told) values[name] = value;
    }
  }

  #property(tree: Tree, property: Property, path: string, place: Place): unknown {
    if (property.type === 'rules') return this.#rules(tree, property.rule, path, place);
    if (property.type === 'optional') {
      return isNull(tree) ? null : filled(this.section(tree, property.section, path), property.section);
    }
    const read = readProperty(tree, property, path);
    for (const fault of read.faults)
      this.#fault(fault.place.line > 0 ? fault.place : place, fault.path, fault.message);
    return read.value;
  }

  #rules(tree: Tree, rule: Section, path: string, place: Place): unknown {
    const items = asList(tree);
    if (!items) return this.#fault(place, path, 'must be a list of rules');
    if (items.length > MAX_RULES) return this.#fault(place, path, `has more than ${MAX_RULES} rules`);
    return items.map((item, index) => Object.freeze(this.section(item, rule, `${path}[${index}]`)));
  }

  #fault(place: Place, path: string, message: string, hint = ''): null {
    const { file, line, column } = place;
    const told = hint === '' ? message : `${message}\n${hint}`;
    if (this.faults.length < MAX_FAULTS)
      this.faults.push({ file, line, column, level: 'error', code: 'parameters', path, message: told });
    return null;
  }
}

function isNull(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

/** A list, or a mapping of a query string whose names are all numbers: its values in their order. */
function asList(tree: Tree): readonly Tree[] | null {
  if (tree.kind === 'list') return tree.items;
  if (tree.kind !== 'map' || tree.line > 0) return null;
  const entries = [...tree.entries];
  if (entries.length === 0 || !entries.every(([name]) => /^\d{1,3}$/.test(name))) return null;
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, entry]) => entry.value);
}

/** Query settings as a tree without places; a repeated path becomes a list. */
function treeOf(settings: DrawingRequest['settings']): Tree {
  const place: Place = { file: '', line: 0, column: 0 };
  type Grown = Map<string, { key: Place; value: Tree }>;
  const root: Grown = new Map();
  for (const [path, text] of settings) {
    const steps = path.split('.');
    // Names of nodes may hold dots: below these properties the rest of the path is one name.
    const fixed = /^overlay\.(?:states|metric\.values)\./.exec(path);
    if (fixed) {
      const depth = fixed[0].split('.').length - 1;
      steps.splice(depth, steps.length, steps.slice(depth).join('.'));
    }
    let at = root;
    for (const step of steps.slice(0, -1)) {
      const below = at.get(step)?.value;
      if (below?.kind === 'map') at = below.entries as Grown;
      else {
        const entries: Grown = new Map();
        at.set(step, { key: place, value: { ...place, kind: 'map', entries } });
        at = entries;
      }
    }
    const last = steps.at(-1) ?? '';
    const scalar: Tree = { ...place, kind: 'scalar', value: text, text, loose: true };
    const earlier = at.get(last)?.value;
    const items = earlier?.kind === 'list' ? earlier.items : earlier?.kind === 'scalar' ? [earlier] : [];
    const value: Tree = items.length > 0 ? { ...place, kind: 'list', items: [...items, scalar] } : scalar;
    at.set(last, { key: place, value });
  }
  return { ...place, kind: 'map', entries: root };
}

/** One document over another: sections by property, everything else replaced whole. */
function laidOver(below: Sparse, above: Sparse, section: Section): Sparse {
  const both = Object.assign(Object.create(null) as Sparse, below);
  for (const [name, value] of Object.entries(above)) {
    const known = section.fields[name];
    const under = below[name];
    both[name] =
      known?.type === 'section' && under !== undefined
        ? laidOver(under as Sparse, value as Sparse, known)
        : value;
  }
  return both;
}

/** All properties of a section, those that were not given by their defaults. */
function filled(sparse: Sparse, section: Section): Sparse {
  const values = Object.create(null) as Sparse;
  for (const [name, field] of Object.entries(section.fields)) {
    values[name] =
      field.type === 'section'
        ? filled((sparse[name] as Sparse | undefined) ?? (Object.create(null) as Sparse), field)
        : name in sparse
          ? sparse[name]
          : field.fallback;
  }
  return Object.freeze(values);
}

function refusal(faults: readonly Finding[]): Fault {
  const told = faults.slice(0, TOLD).map(fault => {
    const [message, hint = ''] = fault.message.split('\n');
    const file = fault.file === '' ? '' : `${fault.file} `;
    const where = fault.line > 0 ? ` (${file}line ${fault.line}, column ${fault.column})` : '';
    return `${fault.path === '' ? '' : `${fault.path}: `}${message}${where}${hint}`;
  });
  if (faults.length > TOLD) told.push(`and ${faults.length - TOLD} more`);
  const errors = faults.map(({ path, line, column, message }) => ({
    path,
    line,
    column,
    message: message.replace('\n', ''),
  }));
  return new Fault('invalid', 'bad-parameters', `Unable to load drawing parameters: ${told.join('; ')}`, {
    errors: JSON.stringify(errors),
  });
}
