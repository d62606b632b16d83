/** Reads query strings the way the build service needs them: a plus is a plus, encoded or not. */

/** Query parameters by name; a name that stands twice has an array. */
export type Query = Record<string, string | string[]>;

/** Parameters in one query string; the rest is ignored. */
const MAX_PARAMETERS = 100;

/**
 * Parses a query string. `+` stays: names and versions contain it and never blanks. What is not valid percent-encoding
 * is taken as written. The answer has no prototype.
 */
export function parseQuery(text: string): Query {
  const query = Object.create(null) as Query;
  let count = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (++count > MAX_PARAMETERS) break;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = decode(at < 0 ? '' : pair.slice(at + 1));
    const earlier = query[name];
    if (earlier === undefined) query[name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else query[name] = [earlier, value];
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
