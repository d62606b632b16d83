/** A document as a tree that keeps the place of every value, and plain YAML 1.1 scalars as PyYAML types them. */

/** Where a value stands. Lines and columns are 1-based; 0 = no place (a query string, a directory). */
export interface Place {
  /** Path of the file, or a word for where the document came from. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A value that was read. Maps keep their order and may have any names for keys, `__proto__` too. */
export type Tree = Place &
  (
    | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, TreeEntry> }
    | { readonly kind: 'list'; readonly items: readonly Tree[] }
    | { readonly kind: 'scalar'; readonly value: Scalar; readonly text: string; readonly loose?: boolean }
  );

/** A value with the place of its key. */
export interface TreeEntry {
  readonly key: Place;
  readonly value: Tree;
}

export type Scalar = string | number | boolean | null;

/** Something found in a document; a warning never refuses it. */
export interface Finding extends Place {
  readonly level: 'error' | 'warning';
  /** A stable word such as `syntax` or `repeated-key`. */
  readonly code: string;
  /** Dotted path of the object, empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const BINARY = /^[-+]?0b[0-1_]+$/;
const OCTAL = /^[-+]?0[0-7_]+$/;
const DECIMAL = /^[-+]?(?:0|[1-9][0-9_]*)$/;
const HEXADECIMAL = /^[-+]?0x[0-9a-fA-F_]+$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NAN = /^\.(?:nan|NaN|NAN)$/;

/**
 * A plain scalar's value by the rules of YAML 1.1 as PyYAML implements them: `yes` is true, `010` is eight, `1e3` is
 * text. Its sexagesimal numbers and timestamps are left as text: no property wants them, and `10:30` is a name to people.
 */
export function plainScalar(text: string): Scalar {
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  const bare = text.replaceAll('_', '');
  if (DECIMAL.test(text) || FLOAT.test(text)) return Number(bare);
  if (BINARY.test(text) || HEXADECIMAL.test(text)) return signed(bare, digits => Number(digits));
  if (OCTAL.test(text)) return signed(bare, digits => Number.parseInt(digits, 8));
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (NAN.test(text)) return Number.NaN;
  return text;
}

function signed(text: string, read: (digits: string) => number): number {
  return text.startsWith('-') ? -read(text.slice(1)) : read(text.replace('+', ''));
}

/** The value without places: null-prototype objects, arrays, scalars. */
export function plainValue(tree: Tree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plainValue);
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of tree.entries) {
    Object.defineProperty(object, key, {
      value: plainValue(entry.value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}
