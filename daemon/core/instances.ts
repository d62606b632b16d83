/** Instances as their files define them: read whole, every fault with its place. Pure. */
import { compileCheck, type Document, type DocumentFault, parseYaml } from '../../proto/document.ts';
import { isReservedDistribution } from '../../proto/layout.ts';
import { LIMIT_KEYS, readLimits } from '../../proto/limits.ts';
import { LAST, NEWER, readRetention } from '../../proto/retention.ts';
import {
  FORMAT_NAMES,
  FORMATS,
  type FormatName,
  INSTANCE_NAME,
  RESERVED_INSTANCES,
} from '../../proto/words.ts';
import type { InstanceSlice, PipelineSlice } from '../../workers/job.ts';

/** An instance, or why there is none. */
export interface ReadInstance {
  /** null exactly when there are faults. */
  readonly instance: InstanceSlice | null;
  readonly faults: readonly DocumentFault[];
}

const WORD = '^[A-Za-z0-9][A-Za-z0-9+._-]{0,62}$';
const LINE = '^[^<>\\u0000-\\u001f\\u007f]{1,255}$';
const word = { type: 'string', pattern: WORD };
const line = { type: 'string', pattern: LINE };
const words = { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 1000 };

/** What a tag may hold: it ends the release, where Debian versions allow no `_`. */
const TAGS: Readonly<Record<FormatName, string>> = {
  deb: '^[A-Za-z0-9][A-Za-z0-9.~]{0,30}$',
  rpm: '^[A-Za-z0-9][A-Za-z0-9._~]{0,30}$',
  osi: '^[A-Za-z0-9][A-Za-z0-9._~]{0,30}$',
};

const distribution = (format: FormatName) => ({
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: word,
    env: word,
    tag: { type: 'string', pattern: TAGS[format] },
    mirror: { type: 'string', pattern: '^(https?|file|copy|mirror\\+https?)://' },
    components: words,
    modules: words,
    retention: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          last: { type: 'string', pattern: LAST },
          newer: { type: 'string', pattern: NEWER },
        },
      },
    },
  },
});

const check = compileCheck({
  type: 'object',
  additionalProperties: false,
  required: ['name', 'gpg', 'formats'],
  properties: {
    name: line,
    gpg: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'email'],
      properties: { name: line, email: { type: 'string', pattern: '^[^<>\\s@]{1,64}@[^<>\\s@]{1,255}$' } },
    },
    formats: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        FORMAT_NAMES.map(name => [name, { type: 'array', items: distribution(name), maxItems: 1000 }]),
      ),
    },
    architectures: { type: 'array', items: { type: 'string', pattern: '^[a-z0-9_]{1,32}$' }, maxItems: 64 },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(LIMIT_KEYS.map(key => [key, { type: 'string' }])),
    },
    derivatives: {
      type: 'object',
      propertyNames: { pattern: WORD },
      additionalProperties: {
        anyOf: [
          { type: 'null' },
          { type: 'string', const: '' },
          {
            type: 'object',
            additionalProperties: false,
            properties: {
              extends: { type: 'string' },
              formats: { type: 'array', items: { enum: [...FORMAT_NAMES] } },
            },
          },
        ],
      },
    },
  },
});

interface RawDistribution {
  readonly name: string;
  readonly env?: string;
  readonly tag?: string;
  readonly mirror?: string;
  readonly components?: readonly string[];
  readonly modules?: readonly string[];
  readonly retention?: Readonly<Record<string, { readonly last?: string; readonly newer?: string }>>;
}

interface RawInstance {
  readonly name: string;
  readonly gpg: { readonly name: string; readonly email: string };
  readonly formats: { readonly [F in FormatName]?: readonly RawDistribution[] };
  readonly architectures?: readonly string[];
  readonly limits?: Readonly<Record<string, string>>;
  readonly derivatives?: Readonly<
    Record<string, { readonly extends?: string; readonly formats?: readonly FormatName[] } | string | null>
  >;
}

/** Reads an instance's file. `host` is the host's own architecture, a uname -m word; it always comes first. */
export function readInstance(id: string, text: string, host: string): ReadInstance {
  // Scalars stay as they were written: a distribution called 9 or 1.10 is no number.
  const document = parseYaml(text, undefined, 'failsafe');
  const faults = check(document);
  if (faults.length > 0) return { instance: null, faults };
  const raw = document.value as RawInstance;
  const refused = [...badName(id), ...badDistributions(raw, document), ...badDerivatives(raw, document)];
  const limits = readLimits(new Map(Object.entries(raw.limits ?? {})), (key, message) => {
    const path = ['limits', key];
    refused.push({ ...document.locate(path), path: path.join('.'), message });
  });
  if (refused.length > 0) return { instance: null, faults: refused };
  const kept = { id, name: raw.name, gpg: raw.gpg };
  const parents = Object.entries(raw.derivatives ?? {}).map(([name, it]) => [name, parentOf(it)] as const);
  const architectures = [...new Set([host, ...(raw.architectures ?? [])])];
  const pipelines = FORMAT_NAMES.flatMap(format =>
    (raw.formats[format] ?? []).map(it => pipeline(format, it, raw)),
  );
  return {
    instance: { ...kept, pipelines, extends: Object.fromEntries(parents), architectures, limits },
    faults: [],
  };
}

function pipeline(format: FormatName, it: RawDistribution, raw: RawInstance): PipelineSlice {
  const derivatives = Object.keys(raw.derivatives ?? {}).filter(name =>
    formatsOf(name, raw).includes(format),
  );
  const retention = Object.entries(it.retention ?? {}).flatMap(([name, kept]) => {
    const rule = readRetention(kept);
    return rule === null ? [] : [[name, rule] as const];
  });
  return {
    format,
    distribution: it.name,
    environment: it.env ?? null,
    // The versions of images have none, whatever a file says.
    tag: format === 'osi' ? null : (it.tag ?? null),
    derivatives: ['main', ...derivatives],
    mirror: it.mirror ?? null,
    components: it.components ?? [],
    modules: it.modules ?? [],
    retention: Object.fromEntries(retention),
  };
}

function parentOf(derivative: { readonly extends?: string } | string | null): string {
  return (typeof derivative === 'object' ? derivative?.extends : undefined) ?? 'main';
}

/** Formats of a derivative: its own, all when it names none, and no more than those of what it extends. */
function formatsOf(name: string, raw: RawInstance): readonly FormatName[] {
  if (name === 'main') return FORMAT_NAMES;
  const it = raw.derivatives?.[name] ?? null;
  const own = (typeof it === 'object' ? it?.formats : undefined) ?? FORMAT_NAMES;
  const above = formatsOf(parentOf(it), raw);
  return own.filter(format => above.includes(format));
}

function badName(id: string): DocumentFault[] {
  const reserved = (RESERVED_INSTANCES as readonly string[]).includes(id) || /^v\d/.test(id);
  if (INSTANCE_NAME.test(id) && !reserved) return [];
  const message = reserved ? 'is a reserved name' : 'is no name for an instance';
  return [{ line: 0, column: 0, path: '', message: `"${id}" ${message}` }];
}

function badDistributions(raw: RawInstance, document: Document): DocumentFault[] {
  const faults: DocumentFault[] = [];
  const seen = new Set<string>();
  for (const format of FORMAT_NAMES) {
    for (const [at, { name, env, retention }] of (raw.formats[format] ?? []).entries()) {
      const refuse = (key: string, message: string): void => {
        const path = ['formats', format, at, key];
        faults.push({ ...document.locate(path), path: path.join('.'), message });
      };
      if (seen.has(name)) refuse('name', `the distribution "${name}" stands twice`);
      seen.add(name);
      if (isReservedDistribution(name)) {
        refuse('name', `"${name}" is a reserved name: the registry's own folders are called so`);
      }
      if (FORMATS[format].environments && env === undefined) refuse('name', `"env" of "${name}" is missing`);
      if (!FORMATS[format].environments && env !== undefined) refuse('env', `${format} has no environments`);
      for (const derivative of Object.keys(retention ?? {})) {
        if (derivative === 'main' || Object.hasOwn(raw.derivatives ?? {}, derivative)) continue;
        refuse('retention', `there is no derivative "${derivative}"`);
      }
    }
  }
  return faults;
}

function badDerivatives(raw: RawInstance, document: Document): DocumentFault[] {
  const faults: DocumentFault[] = [];
  const derivatives = raw.derivatives ?? {};
  for (const name of Object.keys(derivatives)) {
    const refuse = (message: string): void => {
      const path = ['derivatives', name, 'extends'];
      faults.push({ ...document.locate(path), path: path.join('.'), message });
    };
    if (name === 'main') refuse('"main" exists always and is not declared');
    const chain = [name];
    for (let above = parentOf(derivatives[name] ?? null); above !== 'main'; ) {
      if (!Object.hasOwn(derivatives, above)) {
        if (chain.length === 1) refuse(`extends the unknown derivative "${above}"`);
        break;
      }
      if (chain.includes(above)) {
        refuse(`extends itself: ${[...chain, above].join(', ')}`);
        break;
      }
      chain.push(above);
      above = parentOf(derivatives[above] ?? null);
    }
  }
  return faults;
}

/**
 * The instance of a home without any: builds for the host itself. `release` are the fields of os-release(5).
 * Hosts that are no Debian get the stable Debian of this version's making.
 */
export function defaultInstance(
  release: Readonly<Record<string, string>>,
  host: string,
  hostname: string,
): InstanceSlice {
  const debian = release.ID === 'debian' && release.VERSION_CODENAME !== undefined;
  const codename = debian || release.ID === 'ubuntu' ? (release.VERSION_CODENAME ?? 'bookworm') : 'bookworm';
  const number = release.VERSION_ID?.replace(/[^0-9]/g, '') ?? '';
  const tag = debian ? `deb${number}` : release.ID === 'ubuntu' ? `ubuntu${number}` : 'deb12';
  return {
    id: 'default',
    name: 'Rackwright',
    gpg: { name: 'Rackwright', email: `rackwright@${/^[\w.-]+$/.test(hostname) ? hostname : 'localhost'}` },
    pipelines: [
      {
        format: 'deb',
        distribution: codename,
        environment: codename,
        tag: tag === 'deb' ? null : tag,
        derivatives: ['main'],
        mirror: null,
        components: [],
        modules: [],
        retention: {},
      },
    ],
    extends: {},
    architectures: [host],
    limits: {},
  };
}
