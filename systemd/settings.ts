/**
 * Settings of our processes: INI files read against a table of typed keys, validated whole, every fault told at once
 * with file, line and key, then frozen.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { readDuration, readSize, readWhole } from '../proto/units.ts';
import { closest } from './closest.ts';
import { describeFault, type IniFile, parseIni, type SettingFault } from './ini.ts';

/** A typed key. `read` throws a string saying what is wrong. */
export interface Field<T> {
  readonly read: (text: string) => T;
  readonly fallback: T;
  /** Never shown by show-conf. */
  readonly secret?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of fields of any type
export type Schema = Readonly<Record<string, Readonly<Record<string, Field<any>>>>>;
export type Settings<S extends Schema> = {
  readonly [Section in keyof S]: {
    readonly [Key in keyof S[Section]]: S[Section][Key] extends Field<infer T> ? T : never;
  };
};

/** Where each key's value came from: `default` or `FILE:LINE`. */
export interface Loaded<S extends Schema> {
  readonly settings: Settings<S>;
  origin(section: string, key: string): string;
}

export function text(fallback: string): Field<string>;
export function text(fallback: null): Field<string | null>;
export function text(fallback: string | null): Field<string | null> {
  return { fallback, read: value => value };
}

export function secret(): Field<string | null> {
  return { fallback: null, read: value => value, secret: true };
}

export function int(fallback: number, min: number, max: number): Field<number> {
  return { fallback, read: value => readWhole(value, min, max) };
}

export function bool(fallback: boolean): Field<boolean>;
export function bool(fallback: null): Field<boolean | null>;
export function bool(fallback: boolean | null): Field<boolean | null> {
  return {
    fallback,
    read: value => {
      if (/^(yes|true|on|1)$/i.test(value)) return true;
      if (/^(no|false|off|0)$/i.test(value)) return false;
      throw `"${value}" is neither yes nor no`;
    },
  };
}

export function choice<const T extends string>(fallback: T, values: readonly T[]): Field<T> {
  return {
    fallback,
    read: value => {
      const found = values.find(known => known === value);
      if (found === undefined) throw `"${value}" is none of ${values.join(', ')}`;
      return found;
    },
  };
}

/** An absolute path. */
export function path(fallback: string): Field<string>;
export function path(fallback: null): Field<string | null>;
export function path(fallback: string | null): Field<string | null> {
  return {
    fallback,
    read: value => {
      if (!isAbsolute(value)) throw `"${value}" is not an absolute path`;
      return value;
    },
  };
}

/** A list: one item a line, or separated by `separator` where one is given; trimmed, blank items dropped. */
export function list(fallback: readonly string[], separator?: string): Field<readonly string[]> {
  return {
    fallback,
    read: value =>
      value
        .split(separator === undefined ? '\n' : new RegExp(`[\\n${separator}]`))
        .map(item => item.trim())
        .filter(item => item !== ''),
  };
}

/** A span in seconds: a bare number, or one with s, min, m, h or d. */
export function duration(fallback: number): Field<number> {
  return { fallback, read: readDuration };
}

/** A size in bytes: a bare number, or one with K, M, G or T (powers of 1,024), `iB` or `B` behind them allowed. */
export function size(fallback: number, most = Number.POSITIVE_INFINITY): Field<number> {
  return {
    fallback,
    read: value => {
      const bytes = readSize(value);
      if (bytes > most) throw `"${value}" is more than ${most} bytes`;
      return bytes;
    },
  };
}

export interface ReadOptions {
  /** Files in order; a later one's keys win. A missing file is passed over unless `required`. */
  readonly files: readonly string[];
  readonly required?: boolean;
  /** Sections that belong to another process: neither read nor refused. */
  readonly foreign?: readonly string[];
  /** Sections that another process has keys in too: a key that the schema lacks is not refused. */
  readonly shared?: readonly string[];
  /** Values that `${…}` may name beside the file's own keys. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A word to add where an unknown key is known to mean something elsewhere. */
  readonly explain?: (section: string, key: string) => string | null;
}

/** Reads and validates files. Throws one SettingsError whose message has a line for every fault found. */
export function readSettings<S extends Schema>(schema: S, options: ReadOptions): Loaded<S> {
  const faults: SettingFault[] = [];
  const values = new Map<string, { text: string; line: number; file: string }>();
  const own = (section: string): boolean => !options.foreign?.includes(section);
  for (const file of options.files) {
    const ini = readIni(file, options.required === true, faults);
    if (!ini) continue;
    faults.push(...ini.faults);
    for (const [section, keys] of ini.sections) {
      if (!own(section)) continue;
      if (!Object.hasOwn(schema, section)) {
        const line = ini.sectionLines.get(section) ?? 0;
        faults.push({
          file,
          line,
          section,
          key: '',
          message: options.explain?.(section, '') ?? unknown('section', section, Object.keys(schema)),
        });
        continue;
      }
      for (const [key, value] of keys) {
        if (!Object.hasOwn(schema[section] ?? {}, key)) {
          if (options.shared?.includes(section)) continue;
          const why =
            options.explain?.(section, key) ?? unknown('key', key, Object.keys(schema[section] ?? {}));
          faults.push({ file, line: value.line, section, key, message: why });
        } else values.set(`${section}\0${key}`, { ...value, file });
      }
    }
  }
  const settings: Record<string, Record<string, unknown>> = {};
  const find = (section: string, key: string): string | undefined => values.get(`${section}\0${key}`)?.text;
  for (const [section, keys] of Object.entries(schema)) {
    const slice: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(keys)) {
      slice[key] = field.fallback;
      const value = values.get(`${section}\0${key}`);
      if (!value) continue;
      try {
        slice[key] = field.read(interpolate(value.text, section, find, options.variables ?? {}, 0));
      } catch (problem) {
        if (typeof problem !== 'string') throw problem;
        faults.push({ file: value.file, line: value.line, section, key, message: problem });
      }
    }
    settings[section] = Object.freeze(slice);
  }
  throwFaults(faults);
  return {
    settings: Object.freeze(settings) as Settings<S>,
    origin: (section, key) => {
      const value = values.get(`${section}\0${key}`);
      return value ? `${value.file}:${value.line}` : 'default';
    },
  };
}

/** Settings that can't be used; the message has a line for each fault. */
export class SettingsError extends Error {
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    super(faults.map(describeFault).join('\n'));
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** Throws one SettingsError that lists all faults; nothing when there are none. */
export function throwFaults(faults: readonly SettingFault[]): void {
  if (faults.length === 0) return;
  throw new SettingsError(faults);
}

function readIni(file: string, required: boolean, faults: SettingFault[]): IniFile | null {
  try {
    return parseIni(readFileSync(file, 'utf8'), file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' && !required) return null;
    faults.push({ file, line: 0, section: '', key: '', message: `can't be read (${code})` });
    return null;
  }
}

/** Replaces `${key}` and `${section:key}`; `$$` is one dollar, any other dollar is literal. */
function interpolate(
  value: string,
  section: string,
  find: (section: string, key: string) => string | undefined,
  variables: Readonly<Record<string, string>>,
  depth: number,
): string {
  if (depth > 10) throw 'interpolation is circular or deeper than 10';
  return value.replace(
    /\$\$|\$\{(?:([^}:]*):)?([^}:]*)\}/g,
    (whole, other: string | undefined, key: string) => {
      if (whole === '$$') return '$';
      const found = find(other ?? section, key.toLowerCase());
      if (found !== undefined) return interpolate(found, other ?? section, find, variables, depth + 1);
      const variable = other === undefined ? variables[key] : undefined;
      if (variable === undefined) throw `${whole} names no setting of the file`;
      return variable;
    },
  );
}

function unknown(what: 'section' | 'key', name: string, known: readonly string[]): string {
  const near = closest(name, known);
  return `unknown ${what}${near === null ? '' : `; did you mean "${near}"?`}`;
}

/** The four roots of everything we keep. */
export interface Places {
  /** Settings: /etc/rackwright. */
  readonly etc: string;
  /** What must not be lost: /var/lib/rackwright. */
  readonly lib: string;
  /** What can be made again: /var/cache/rackwright. */
  readonly cache: string;
  /** Sockets: /run/rackwright. */
  readonly run: string;
}

/** The usual system paths, or all under one home. */
export function places(home: string | null): Places {
  if (home !== null) {
    return {
      etc: join(home, 'etc'),
      lib: join(home, 'lib'),
      cache: join(home, 'cache'),
      run: join(home, 'run'),
    };
  }
  return {
    etc: '/etc/rackwright',
    lib: '/var/lib/rackwright',
    cache: '/var/cache/rackwright',
    run: '/run/rackwright',
  };
}
