/**
 * Reads INI text with the line of every value, as Python's configparser reads it: the files that sites own already
 * use its continuation lines and `${key}` interpolation, which the `ini` package does not know, nor positions.
 */

/** One fault of a settings file. `line` is 1-based, 0 when the fault has no line (a missing key, an unreadable file). */
export interface SettingFault {
  readonly file: string;
  readonly line: number;
  readonly section: string;
  readonly key: string;
  readonly message: string;
}

interface IniValue {
  /** Raw text; continuation lines are joined by line feeds, each trimmed, blank ones dropped. */
  readonly text: string;
  readonly line: number;
}

export interface IniFile {
  readonly file: string;
  readonly sections: ReadonlyMap<string, ReadonlyMap<string, IniValue>>;
  readonly sectionLines: ReadonlyMap<string, number>;
  readonly faults: readonly SettingFault[];
}

/** Largest settings file, in bytes. */
const MAX_INI = 1024 * 1024;

/**
 * Parses INI text. A BOM and CRLF are accepted; `#` and `;` open comments on full lines; keys ignore case, sections do
 * not; a line that starts with a blank continues the value above. Duplicate keys and sections are faults. A key without
 * `=` (as in the policy's `[roles]`) has an empty value.
 */
export function parseIni(text: string, file: string): IniFile {
  const sections = new Map<string, Map<string, { text: string; line: number }>>();
  const sectionLines = new Map<string, number>();
  const faults: SettingFault[] = [];
  let section = '';
  let last: { text: string; line: number } | null = null;
  const fault = (line: number, key: string, message: string): void => {
    faults.push({ file, line, section, key, message });
  };
  if (text.length > MAX_INI) {
    fault(0, '', `larger than ${MAX_INI} bytes`);
    return { file, sections, sectionLines, faults };
  }
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const number = index + 1;
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    if (/^\s/.test(raw) && last) {
      last.text = last.text === '' ? line : `${last.text}\n${line}`;
      continue;
    }
    const header = /^\[([^\]]*)\]$/.exec(line);
    if (header) {
      section = (header[1] ?? '').trim();
      last = null;
      if (sections.has(section)) fault(number, '', `section [${section}] stands twice`);
      else {
        sections.set(section, new Map());
        sectionLines.set(section, number);
      }
      continue;
    }
    last = null;
    const values = sections.get(section);
    if (!values) {
      fault(number, '', 'a value stands before the first section');
      continue;
    }
    const at = line.search(/[=:]/);
    const key = (at < 0 ? line : line.slice(0, at)).trim().toLowerCase();
    const earlier = values.get(key);
    if (key === '') fault(number, '', 'a line without a key');
    else if (earlier) fault(number, key, `stands twice, first in line ${earlier.line}`);
    else {
      last = { text: at < 0 ? '' : line.slice(at + 1).trim(), line: number };
      values.set(key, last);
    }
  }
  return { file, sections, sectionLines, faults };
}

/** `FILE:LINE: [section]>key: message`, a line of a start-up error. */
export function describeFault(fault: SettingFault): string {
  const where = fault.line > 0 ? `${fault.file}:${fault.line}` : fault.file;
  const key = fault.key === '' ? '' : `>${fault.key}`;
  return fault.section === ''
    ? `${where}: ${fault.message}`
    : `${where}: [${fault.section}]${key}: ${fault.message}`;
}
