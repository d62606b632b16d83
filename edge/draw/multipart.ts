/** Writes an image and its coordinates as one multipart/form-data body, as browsers' formData() and strict readers take it. */
import { createHash } from 'node:crypto';

/** A part of the form. */
export interface Part {
  readonly name: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The whole body and its Content-Type. The boundary is the same for the same parts. */
export function writeForm(parts: readonly Part[]): { readonly contentType: string; readonly body: Buffer } {
  const boundary = boundaryFor(parts);
  const pieces: Uint8Array[] = [];
  for (const { name, filename, mediaType, bytes } of parts) {
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${encodeName(name)}"; filename="${encodeName(filename)}"`,
      `Content-Type: ${mediaType}`,
      '',
      '',
    ];
    pieces.push(Buffer.from(head.join('\r\n'), 'utf8'), bytes, Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}

/** 32 hexadecimal digits that occur in no part; more where they do. */
function boundaryFor(parts: readonly Part[]): string {
  const hash = createHash('sha256');
  for (const { filename, bytes } of parts) hash.update(filename).update(bytes);
  let digits = hash.digest('hex');
  let length = 32;
  while (parts.some(({ bytes, filename }) => holds(bytes, filename, digits.slice(0, length)))) {
    length++;
    if (length > 64) [digits, length] = [createHash('sha256').update(digits).digest('hex'), 32];
  }
  return digits.slice(0, length);
}

function holds(bytes: Uint8Array, filename: string, boundary: string): boolean {
  return (
    filename.includes(boundary) ||
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(boundary)
  );
}

/** As the HTML standard encodes names in forms. */
function encodeName(text: string): string {
  return text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
