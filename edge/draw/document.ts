/** Which syntax a request's parameters document is in. */
import { Refusal } from '../http/problem.ts';

/** Bytes of a parameters document. */
export const MAX_DOCUMENT = 1024 * 1024;

const YAML = ['application/x-yaml', 'application/yaml', 'text/yaml', 'text/x-yaml'];
const CHARSETS = ['utf-8', 'utf8', 'us-ascii'];

/**
 * The syntax that a Content-Type names. Throws 415 for another type, another charset than UTF-8, or an encoded body; an
 * empty body may have any type.
 */
export function syntaxOf(
  headers: { readonly 'content-type'?: string | undefined; readonly 'content-encoding'?: string | undefined },
  length: number,
): 'yaml' | 'json' {
  const encoding = headers['content-encoding'];
  if (length === 0) return 'yaml';
  const refused = new Refusal(415, 'Unsupported request body format');
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') throw refused;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map(part => part.trim().toLowerCase());
  const charset = parameters.find(parameter => parameter.startsWith('charset='));
  if (charset !== undefined && !CHARSETS.includes(charset.slice('charset='.length).replaceAll('"', '')))
    throw refused;
  if (type === 'application/json' || /^[a-z0-9.+-]+\/[a-z0-9.+-]+\+json$/.test(type)) return 'json';
  if (YAML.includes(type)) return 'yaml';
  throw refused;
}
