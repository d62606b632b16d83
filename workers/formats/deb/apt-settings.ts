/** The machine's own ways to its mirrors, copied for apt in a sandbox: proxies, credentials, certificates, keyrings. */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TaskContext } from '../../context.ts';
import type { AptEntry } from './apt-sources.ts';

/** Settings of apt that say how to fetch, not what; values may be paths of certificates. */
const FETCHING =
  /^Acquire::(?:(?:http|https|ftp|cdrom)::|Retries |Check-Valid-Until |Check-Date |ForceIPv[46] |Queue-Mode )/;
const CERTIFICATES = /::(?:CaInfo|SslCert|SslKey|CrlFile)$/i;
/** Whole seconds that apt waits for a server, and how often it tries again: a dead mirror is known within minutes. */
const TIMEOUT = 30;
const RETRIES = 2;
/** Milliseconds for a program that tells the proxy of an address. */
const PROXY_PROGRAM = 10_000;
/** Where apt finds keys of sources that name none. */
const TRUSTED = ['/etc/apt/trusted.gpg.d', '/usr/share/keyrings'] as const;

/** One setting of apt as `apt-config dump` writes it. */
export interface AptSetting {
  readonly name: string;
  readonly value: string;
}

/** What `apt-config dump` says of fetching. */
export function fetchSettings(dump: string): AptSetting[] {
  const settings: AptSetting[] = [];
  for (const line of dump.split('\n')) {
    const match = /^(\S+) "(.*)";$/.exec(line);
    if (match?.[1] && match[2] && FETCHING.test(`${match[1]} `))
      settings.push({ name: match[1], value: match[2] });
  }
  return settings;
}

/**
 * Writes into `folder` an apt.conf with the machine's ways of fetching, an auth.conf with its credentials, and copies
 * of certificates; `inside` is where apt will see the folder. Answers the lines of the apt.conf.
 */
export async function copyAptSettings(
  context: TaskContext,
  folder: string,
  inside: string,
  uris: readonly string[],
): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const dump = (await context.runTool(['apt-config', 'dump'])).stdout.toString('utf8');
  const settings = fetchSettings(dump);
  const lines = [`Acquire::http::Timeout "${TIMEOUT}";`, `Acquire::https::Timeout "${TIMEOUT}";`];
  lines.push(`Acquire::Retries "${RETRIES}";`);
  for (const { name, value } of settings) {
    if (/::Proxy-Auto-Detect$/i.test(name)) {
      lines.push(...(await askForProxies(context, value, uris)));
    } else if (CERTIFICATES.test(name)) {
      const copy = `${name.replaceAll(':', '')}-${basename(value)}`;
      await copyFile(value, join(folder, copy)).catch(() => undefined);
      lines.push(`${name} "${inside}/${copy}";`);
    } else lines.push(`${name} "${value}";`);
  }
  await writeFile(join(folder, 'auth.conf'), await credentials('/etc/apt'), { mode: 0o600 });
  lines.push(`Dir::Etc::netrc "${inside}/auth.conf";`);
  return lines;
}

/** auth.conf and all of auth.conf.d in one text. */
async function credentials(folder: string): Promise<string> {
  const texts = [await readFile(join(folder, 'auth.conf'), 'utf8').catch(() => '')];
  const parts = join(folder, 'auth.conf.d');
  for (const name of (await readdir(parts).catch(() => [])).toSorted()) {
    if (name.endsWith('.conf')) texts.push(await readFile(join(parts, name), 'utf8').catch(() => ''));
  }
  return texts.map(text => (text === '' || text.endsWith('\n') ? text : `${text}\n`)).join('');
}

/** Asks the program that apt would ask, once a host: it does not exist in the sandbox. */
async function askForProxies(
  context: TaskContext,
  program: string,
  uris: readonly string[],
): Promise<string[]> {
  const lines: string[] = [];
  for (const uri of uris.filter(each => URL.canParse(each))) {
    const { protocol, host } = new URL(uri);
    const answer = await context
      .runTool([program, uri], { timeout: PROXY_PROGRAM })
      .then(({ stdout }) => stdout.toString('utf8').trim())
      .catch(() => '');
    if (/^(https?|socks5h):\/\/[^"\s]+$/.test(answer) || answer === 'DIRECT') {
      lines.push(`Acquire::${protocol.replace(':', '')}::Proxy::${host} "${answer}";`);
    }
  }
  return lines;
}

/** The keys that a source is trusted by: those it names, else all that apt trusts. A text is a key itself. */
export async function keyringOf(context: TaskContext, entry: AptEntry): Promise<Buffer | string> {
  const named = entry.options['Signed-By'] ?? '';
  if (named.includes('BEGIN PGP')) return named;
  const paths = named.split(/[\s,]+/).filter(word => word.startsWith('/'));
  return joinKeyrings(context, paths.length > 0 ? paths : await trustedKeyrings());
}

/** Keyring files of apt's own trust, and those that distributions install for each other's releases. */
async function trustedKeyrings(): Promise<string[]> {
  const found: string[] = [];
  for (const folder of TRUSTED) {
    for (const name of (await readdir(folder).catch(() => [])).toSorted()) {
      const ours = folder.startsWith('/etc') ? /\.(gpg|asc)$/ : /-archive-keyring\.(gpg|asc|pgp)$/;
      if (ours.test(name) && !name.includes('removed')) found.push(join(folder, name));
    }
  }
  return found;
}

/** Binary OpenPGP keys follow each other in one file; armored ones are decoded first. */
async function joinKeyrings(context: TaskContext, paths: readonly string[]): Promise<Buffer> {
  const keys: Buffer[] = [];
  for (const path of paths) {
    const bytes = await readFile(path);
    const armored = bytes.subarray(0, 64).toString('latin1').includes('-----BEGIN');
    keys.push(armored ? (await context.runTool(['gpg', '--dearmor'], { input: bytes })).stdout : bytes);
  }
  return Buffer.concat(keys);
}
