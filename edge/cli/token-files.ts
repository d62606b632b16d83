/** Tokens kept on this machine: a file for each server, found by its URI exactly as it was typed. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';

const SUFFIX = '.token';

/** What a saved token says about itself; nothing here is checked, the server does that. */
export interface SavedToken {
  readonly uri: string;
  readonly token: string;
  readonly subject: string;
  readonly audience: string;
  /** Seconds since the epoch. */
  readonly issued: number;
  readonly expires: number;
}

/** Names that a URI's file may have: ours, and plain base64 where that makes a file name. */
function namesOf(uri: string): string[] {
  const plain = Buffer.from(uri, 'utf8').toString('base64');
  const safe = plain.replaceAll('+', '-').replaceAll('/', '_');
  return [...new Set(plain.includes('/') ? [safe] : [safe, plain])].map(name => name + SUFFIX);
}

/** The token saved for a URI, or null. */
export async function findToken(folder: string, uri: string): Promise<string | null> {
  for (const name of namesOf(uri)) {
    try {
      const token = (await readFile(join(folder, name), 'utf8')).trim();
      if (token !== '') return token;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') {
        throw new Fault('invalid', 'bad-input', `${join(folder, name)} can't be read (${errorCode(error)})`);
      }
    }
  }
  return null;
}

/** Saves a token under mode 0600, replacing an earlier one. Throws `invalid` for what is no token of ours. */
export async function saveToken(folder: string, uri: string, token: string): Promise<SavedToken> {
  const saved = readToken(uri, token);
  if (!saved) {
    throw new Fault(
      'invalid',
      'token-invalid',
      'this is not a token: a JWT with iat, exp, aud and sub is expected',
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, namesOf(uri)[0] ?? '');
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, `${token}\n`, { mode: 0o600, flag: 'w' });
  await rename(temporary, path);
  return saved;
}

/** All saved tokens, sorted by URI; files that hold none are passed over. */
export async function listTokens(folder: string): Promise<SavedToken[]> {
  const names = await readdir(folder).catch(() => []);
  const found: SavedToken[] = [];
  for (const name of names) {
    if (!name.endsWith(SUFFIX)) continue;
    const uri = Buffer.from(name.slice(0, -SUFFIX.length), 'base64').toString('utf8');
    const token = await readFile(join(folder, name), 'utf8').catch(() => '');
    const saved = namesOf(uri).includes(name) ? readToken(uri, token.trim()) : null;
    if (saved) found.push(saved);
  }
  return found.sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

/** What a JWT says, or null when it is none or lacks one of iat, exp, aud and sub. */
function readToken(uri: string, token: string): SavedToken | null {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every(part => /^[A-Za-z0-9_-]+$/.test(part))) return null;
  try {
    const claims = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
    const { iat, exp, sub, aud } = claims;
    const audience = Array.isArray(aud) ? aud.join(' ') : aud;
    if (typeof iat !== 'number' || typeof exp !== 'number') return null;
    if (typeof sub !== 'string' || typeof audience !== 'string') return null;
    return { uri, token, subject: sub, audience, issued: iat, expires: exp };
  } catch {
    return null;
  }
}
