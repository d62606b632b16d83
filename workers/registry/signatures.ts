/** Signatures of others' files: what a good one covers, and nothing that stands beside it. gpgv judges, as it does for apt. */
import { readFileSync } from 'node:fs';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';

const BEGIN_MESSAGE = '-----BEGIN PGP SIGNED MESSAGE-----';
const BEGIN_SIGNATURE = '-----BEGIN PGP SIGNATURE-----';
const END_SIGNATURE = '-----END PGP SIGNATURE-----';

/** Whether a file begins as a clear-signed one does (RFC 9580, section 7). */
export function isClearSigned(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).subarray(0, BEGIN_MESSAGE.length).equals(Buffer.from(BEGIN_MESSAGE));
}

/**
 * The text of a clear-signed file as it stands there, whoever signed it. gpg passes over what precedes and follows the
 * signed message, and readers that don't would trust it: such a file is refused. Throws `bad-package`.
 */
export function insideSignature(bytes: Uint8Array, where: string): Buffer {
  // Byte by byte: whatever the text is encoded in comes out as it was.
  const lines = Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n').split('\n');
  // Within the text such a line has "- " before it.
  const armor = lines.flatMap((line, at) => (line.startsWith('-----') ? [{ line: line.trimEnd(), at }] : []));
  const [message, signature, end] = armor;
  const isOne =
    armor.length === 3 &&
    message?.at === 0 &&
    message.line === BEGIN_MESSAGE &&
    signature?.line === BEGIN_SIGNATURE &&
    end?.line === END_SIGNATURE &&
    lines.slice(end.at + 1).every(line => line.trim() === '');
  const blank = lines.findIndex(line => line.trim() === '');
  if (!isOne || blank < 0 || blank > signature.at) {
    const message = `${where} is not one signed text from its first line to its last: there is something beside it`;
    throw new Fault('invalid', 'bad-package', message);
  }
  const text = lines.slice(blank + 1, signature.at).map(line => line.replace(/^- /, ''));
  return Buffer.from(`${text.join('\n')}\n`, 'latin1');
}

/** What is wrong with the signature of files that gpgv takes, a clear-signed one or a signature and its file; null when good. */
export async function signatureFault(
  context: TaskContext,
  keyring: string,
  files: readonly string[],
): Promise<string | null> {
  return (await gpgv(context, keyring, files)).fault;
}

/**
 * The text of a clear-signed file, of which only what gpgv vouches for is given out. `where` names the file in messages.
 * Throws `bad-package`.
 */
export async function signedText(
  context: TaskContext,
  keyring: string,
  file: string,
  where: string,
): Promise<string> {
  insideSignature(readFileSync(file), where);
  const { fault, text } = await gpgv(context, keyring, [file], ['--output', '-']);
  if (fault !== null) throw new Fault('refused', 'bad-package', `${where}: ${fault}`);
  return text;
}

/** Bytes of a signed text, at most: Debian's own Release has a quarter of a megabyte. */
const MAX_TEXT = 64 * 1024 * 1024;

async function gpgv(
  context: TaskContext,
  keyring: string,
  files: readonly string[],
  more: readonly string[] = [],
): Promise<{ readonly fault: string | null; readonly text: string }> {
  const { exitCode, stdout, stderr } = await context.runTool(
    ['gpgv', '--keyring', keyring, ...more, ...files],
    { jail: { read: [keyring, ...files] }, accept: [0, 1, 2], maxOutput: MAX_TEXT },
  );
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return { fault: exitCode === 0 ? null : said, text: stdout.toString('utf8') };
}
