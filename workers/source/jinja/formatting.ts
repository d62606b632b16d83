/** Texts with places to fill: `'%s' % value` and `'{}'.format(value)`, as Python fills them. */
import { formatNumber, formatText, PLAIN, parseSpec, type Spec } from './format-spec.ts';
import { repr, str } from './printing.ts';
import {
  type Arguments,
  bounded,
  Float,
  keyOf,
  kindOf,
  numeric,
  points,
  Tuple,
  type Value,
  whole,
} from './values.ts';

const PERCENT = /%(?:\(([^()]*)\))?([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?(.|$)/gsu;

/** `template % value`. Throws where places and values do not match. */
export function percent(template: string, value: Value): string {
  const values = new Values(value);
  let [text, at] = ['', 0];
  for (const found of template.matchAll(PERCENT)) {
    const [all, key, flags = '', width, precision, type = ''] = found;
    text += template.slice(at, found.index);
    at = found.index + all.length;
    if (type === '%') {
      text += '%';
      continue;
    }
    const size = width === '*' ? values.count() : width === undefined ? null : Number(width);
    const digits = !all.includes('.', key === undefined ? 0 : key.length + 2)
      ? null
      : precision === '*'
        ? values.count()
        : Number(precision ?? 0);
    text += fill(key === undefined ? values.next() : values.named(key), type, {
      ...PLAIN,
      align: flags.includes('-') || (size ?? 0) < 0 ? '<' : flags.includes('0') ? '=' : '>',
      fill: flags.includes('0') && !flags.includes('-') ? '0' : ' ',
      sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-',
      alternate: flags.includes('#'),
      width: Math.abs(size ?? 0),
      precision: digits,
    });
  }
  values.end();
  return bounded(text + template.slice(at));
}

/** The values to the right of `%`. */
class Values {
  readonly #value: Value;
  readonly #items: readonly Value[];
  #at = 0;
  #byName = false;

  constructor(value: Value) {
    this.#value = value;
    this.#items = value instanceof Tuple ? value.items : [value];
  }

  next(): Value {
    if (this.#at >= this.#items.length) throw new Error('a text has more places than values');
    return this.#items[this.#at++] ?? null;
  }

  count(): number {
    const value = this.next();
    if (typeof value !== 'number') throw new Error('"*" in a text needs a whole number');
    return value;
  }

  named(key: string): Value {
    if (!(this.#value instanceof Map)) throw new Error(`"%(${key})" needs a dict`);
    this.#byName = true;
    const found = this.#value.get(key);
    if (found === undefined) throw new Error(`"%(${key})" is not among the values`);
    return found;
  }

  end(): void {
    // Python lets a dict or a list that no place asks for pass.
    const spare = this.#value instanceof Map || Array.isArray(this.#value);
    if (!this.#byName && !spare && this.#at < this.#items.length) {
      throw new Error('a text has fewer places than values');
    }
  }
}

function fill(value: Value, type: string, spec: Spec): string {
  if (type === 's' || type === 'r') {
    const text = type === 's' ? str(value) : repr(value);
    return formatText(text, { ...spec, fill: ' ', align: spec.align === '=' ? '>' : spec.align });
  }
  if (type === 'c') {
    const one = typeof value === 'number' ? String.fromCodePoint(value) : value;
    if (typeof one !== 'string' || points(one).length !== 1) throw new Error('"%c" needs one character');
    return formatText(one, { ...spec, fill: ' ', precision: null });
  }
  const number = numeric(value);
  if (!/^[diuxXoeEfFgG]$/.test(type)) throw new Error(`"%${type}" is not supported`);
  if (number === null) throw new Error(`"%${type}" needs a number, not ${kindOf(value)}`);
  if (!/[diuxXo]/.test(type)) return formatNumber(number, true, { ...spec, type });
  if (/[xXo]/.test(type) && value instanceof Float) throw new Error(`"%${type}" needs a whole number`);
  return formatNumber(whole(Math.trunc(number)), false, { ...spec, type: /[iu]/.test(type) ? 'd' : type });
}

/** `template.format(…)`. */
export function format(template: string, given: Arguments): string {
  let automatic = 0;
  const place = (field: string): string => {
    const found = /^([^!:[\].]*)((?:\[[^\]]*\])*)(?:!(.))?(?::(.*))?$/s.exec(field);
    if (found === null) throw new Error(`"{${field}}" is not supported: it may name a value and its keys`);
    const [, name = '', keys = '', conversion, spec = ''] = found;
    const value = /^\d*$/.test(name)
      ? given.positional[name === '' ? automatic++ : Number(name)]
      : given.named.get(name);
    if (value === undefined) throw new Error(`"{${field}}" has no value`);
    return one(
      inside(value, keys),
      conversion,
      spec.replace(/\{([^{}]*)\}/g, (_, inner: string) => place(inner)),
    );
  };
  const text = template.replace(
    /\{\{|\}\}|\{((?:[^{}]|\{[^{}]*\})*)\}|[{}]/g,
    (all: string, field?: string) => {
      if (all === '{{' || all === '}}') return all.charAt(0);
      if (field === undefined) throw new Error(`"${all}" stands alone in a text to fill`);
      return place(field);
    },
  );
  return bounded(text);
}

/** `value[key][key]`. */
function inside(value: Value, keys: string): Value {
  return [...keys.matchAll(/\[([^\]]*)\]/g)].reduce<Value>((held, [, key = '']) => {
    const number = /^\d+$/.test(key) ? Number(key) : null;
    const items = Array.isArray(held) ? held : held instanceof Tuple ? held.items : null;
    const found =
      held instanceof Map ? held.get(keyOf(number ?? key)) : number === null ? undefined : items?.[number];
    if (found === undefined) throw new Error(`"[${key}]" is not there`);
    return found;
  }, value);
}

function one(value: Value, conversion: string | undefined, spec: string): string {
  if (conversion !== undefined && conversion !== 's' && conversion !== 'r')
    throw new Error(`the conversion "!${conversion}" is not supported`);
  if (conversion !== undefined || typeof value === 'string')
    return formatText(conversion === 'r' ? repr(value) : str(value), parseSpec(spec, '<'));
  if (spec === '') return str(value);
  const number = numeric(value);
  if (number === null) throw new Error(`${kindOf(value)} takes no format "${spec}"`);
  const parsed = parseSpec(spec, '>');
  if (typeof value === 'boolean' && parsed.type === '')
    throw new Error(`bool takes no format "${spec}" here`);
  const isWhole = !(value instanceof Float) && /^[dboxX]?$/.test(parsed.type);
  if (isWhole && (parsed.precision !== null || (parsed.group === ',' && /[boxX]/.test(parsed.type))))
    throw new Error(`a whole number takes no format "${spec}"`);
  return formatNumber(number, value instanceof Float, parsed);
}
