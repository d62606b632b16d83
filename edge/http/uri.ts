/** Settings that are addresses of other services. */
import type { Field } from '../../systemd/settings.ts';

/** An absolute http(s) address without credentials, query or fragment; `schemes` for others than the web's. */
export function uri(fallback: null, schemes: readonly string[] = ['http', 'https']): Field<string | null> {
  return { fallback, read: value => checkUri(value, schemes) };
}

/** A list of such addresses, one a line. */
export function uris(schemes: readonly string[] = ['http', 'https']): Field<readonly string[]> {
  return {
    fallback: [],
    read: value => {
      const items = value.split(/\n/).flatMap(line => line.trim() || []);
      const repeated = items.find((item, at) => items.indexOf(item) < at);
      if (repeated !== undefined) throw `${repeated} stands twice`;
      return items.map(item => checkUri(item, schemes));
    },
  };
}

function checkUri(value: string, schemes: readonly string[]): string {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (!parsed || /\s/.test(value)) throw `"${value}" is not a URL`;
  if (!schemes.includes(parsed.protocol.slice(0, -1))) {
    throw `"${value}" is not ${schemes.map(scheme => `${scheme}:`).join(' or ')}`;
  }
  if (parsed.username !== '' || parsed.password !== '') throw 'credentials have no place in a URL';
  if (parsed.search !== '' || parsed.hash !== '') throw `"${value}" has a query or fragment`;
  return value;
}
