/** Checks XML of others before clients are made to read it: well-formed (XML 1.0), UTF-8, without DTD. */

/** Elements within elements. */
const MAX_DEPTH = 64;
/** Legal characters (XML 1.0, 2.2). */
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const NAME = '[A-Za-z_][\\w.:-]*';
const TOKEN = [
  '<!--(?:(?!--)[\\s\\S])*-->',
  '<!\\[CDATA\\[[\\s\\S]*?\\]\\]>',
  `<(?<open>${NAME})(?<attributes>(?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(?<empty>/?)>`,
  `</(?<close>${NAME})\\s*>`,
  '(?<text>[^<]+)',
].join('|');
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Told of every element as it begins and ends. */
export interface Listener {
  /** `depth` is 1 for the root; positions are those of the element's first character and the one behind its tag. */
  open(name: string, attributes: ReadonlyMap<string, string>, depth: number, at: number): void;
  /** `text` is what stood directly in it, `to` the position behind it. */
  close(name: string, text: string, depth: number, to: number): void;
}

/** Reads a document whole. Throws an Error with the line of the first thing that is wrong. */
export function readXml(text: string, listener: Listener): void {
  const illegal = ILLEGAL.exec(text);
  if (illegal) throw wrong(text, illegal.index, 'a character that XML does not allow');
  const declaration = /^<\?xml\s[^?]*\?>/.exec(text)?.[0] ?? '';
  const encoding = /encoding\s*=\s*["']([^"']*)/.exec(declaration)?.[1] ?? 'UTF-8';
  if (!/^(utf-8|us-ascii)$/i.test(encoding)) throw wrong(text, 0, `encoding ${encoding}, not UTF-8`);
  const token = new RegExp(TOKEN, 'uy');
  const inside: { name: string; text: string }[] = [];
  let roots = 0;
  const end = (name: string, at: number): void => {
    const element = inside.pop();
    if (element?.name !== name)
      throw wrong(text, at, `</${name}> where <${element?.name ?? 'nothing'}> is open`);
    listener.close(name, element.text, inside.length + 1, token.lastIndex);
  };
  token.lastIndex = declaration.length;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const groups = token.exec(text)?.groups;
    if (!groups) throw wrong(text, at, 'what is no element, comment or text');
    const { open, attributes = '', empty, close, text: plain } = groups;
    if (plain !== undefined) {
      const element = inside.at(-1);
      if (element) element.text += decode(text, at, plain);
      else if (plain.trim() !== '') throw wrong(text, at, 'text outside the root element');
    } else if (open !== undefined) {
      if (inside.length === 0 && roots++ > 0) throw wrong(text, at, 'a second root element');
      if (inside.length === MAX_DEPTH)
        throw wrong(text, at, `more than ${MAX_DEPTH} elements within each other`);
      inside.push({ name: open, text: '' });
      listener.open(open, readAttributes(text, at, attributes), inside.length, at);
      if (empty === '/') end(open, at);
    } else if (close !== undefined) end(close, at);
  }
  if (inside.length > 0 || roots === 0)
    throw wrong(text, text.length, `the end, before that of <${inside.at(-1)?.name ?? 'a root element'}>`);
}

function readAttributes(text: string, at: number, written: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single] of written.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw wrong(text, at, `the attribute ${name} twice`);
    attributes.set(name, decode(text, at, double ?? single ?? ''));
  }
  return attributes;
}

function decode(text: string, at: number, written: string): string {
  if (written.includes(']]>')) throw wrong(text, at, '"]]>" in a text');
  return written.replace(/&(?:(\w+)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g, (whole, name, decimal, hex) => {
    if (name !== undefined && Object.hasOwn(ENTITIES, name)) return ENTITIES[name] ?? '';
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '';
    if (character === '' || ILLEGAL.test(character)) throw wrong(text, at, `the unknown entity ${whole}`);
    return character;
  });
}

function wrong(text: string, at: number, what: string): Error {
  const line = text.slice(0, at).split('\n').length;
  return new Error(`line ${line}: ${what}`);
}
