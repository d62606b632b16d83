/** Cuts a multipart/form-data body (RFC 7578) into parts as it comes, in constant memory and within limits. */
import { Refusal } from './problem.ts';

/** What a part's head says. */
export interface PartHead {
  readonly name: string;
  /** As the client sent it; null when the part is no file. */
  readonly filename: string | null;
}

export type PartEvent =
  | { readonly type: 'head'; readonly head: PartHead }
  /** Bytes of the part's body; they stay valid only until the next event is taken. */
  | { readonly type: 'data'; readonly bytes: Buffer }
  | { readonly type: 'end' };

interface MultipartLimits {
  readonly parts: number;
  /** Bytes of one part's head. */
  readonly head: number;
  /** Bytes of a part's name. */
  readonly name: number;
}

/** The longest name that means anything is `source/` and an id of 128 characters. */
const MULTIPART_LIMITS: MultipartLimits = { parts: 128, head: 8 * 1024, name: 'source/'.length + 128 };

const CRLF2 = Buffer.from('\r\n\r\n');
/** Bytes before the first boundary and after the last that are passed over. */
const MAX_PREAMBLE = 8 * 1024;

/** The boundary of a Content-Type header. Throws 400 when it is no multipart/form-data or names none. */
export function boundaryOf(contentType: string | undefined): string {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType ?? '')) {
    throw new Refusal(400, 'the body must be multipart/form-data');
  }
  const match = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType ?? '');
  const boundary = match?.[1] ?? match?.[2] ?? '';
  // RFC 2046 allows 70 characters of a small alphabet; the alphabet is taken as it comes.
  if (boundary === '' || boundary.length > 70 || /[^\x20-\x7e]/.test(boundary)) {
    throw new Refusal(400, 'the boundary of multipart/form-data is missing or not valid');
  }
  return boundary;
}

/** Events of a body in order: head, data…, end for each part; `parts` is how many there may be. Throws 400 or 413. */
export async function* readMultipart(
  body: AsyncIterable<Buffer>,
  boundary: string,
  parts: number = MULTIPART_LIMITS.parts,
): AsyncGenerator<PartEvent> {
  const cutter = new Cutter(boundary, { ...MULTIPART_LIMITS, parts });
  for await (const chunk of body) {
    yield* cutter.push(chunk);
    // What follows the last boundary means nothing; it is read off all the same.
  }
  if (!cutter.isDone) throw new Refusal(400, 'the multipart body ends before its last boundary');
}

type State = 'preamble' | 'after-boundary' | 'head' | 'data' | 'done';

class Cutter {
  /** Line break, two dashes and the boundary: what ends a part. */
  readonly #mark: Buffer;
  readonly #limits: MultipartLimits;
  // As if a line break stood before the body, so that the first boundary looks like all others.
  #rest: Buffer = Buffer.from('\r\n');
  #state: State = 'preamble';
  #parts = 0;
  #skipped = 0;

  constructor(boundary: string, limits: MultipartLimits) {
    this.#mark = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#limits = limits;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  *push(chunk: Buffer): Generator<PartEvent> {
    if (this.isDone) return;
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let before: State;
    do {
      before = this.#state;
      const length = bytes.length;
      if (this.#state === 'preamble') bytes = this.#preamble(bytes);
      else if (this.#state === 'after-boundary') bytes = this.#afterBoundary(bytes);
      else if (this.#state === 'head') {
        const end = bytes.indexOf(CRLF2);
        if (end > this.#limits.head || (end < 0 && bytes.length > this.#limits.head + CRLF2.length)) {
          throw new Refusal(413, `the head of a part is over ${this.#limits.head} bytes`);
        }
        if (end >= 0) {
          yield { type: 'head', head: readHead(bytes.subarray(0, end), this.#limits) };
          // The line break stays: an empty body ends at once.
          bytes = bytes.subarray(end + 2);
          this.#state = 'data';
          this.#fresh = true;
        }
      } else if (this.#state === 'data') bytes = yield* this.#data(bytes);
      if (this.#state === before && bytes.length === length) break;
    } while (!this.isDone);
    this.#rest = Buffer.from(bytes);
  }

  #fresh = false;

  #preamble(bytes: Buffer): Buffer {
    const at = bytes.indexOf(this.#mark);
    const passed = at >= 0 ? at : Math.max(0, bytes.length - this.#mark.length);
    this.#skipped += passed;
    if (this.#skipped > MAX_PREAMBLE)
      throw new Refusal(400, 'the multipart body does not begin with its boundary');
    if (at < 0) return bytes.subarray(passed);
    this.#state = 'after-boundary';
    return bytes.subarray(at + this.#mark.length);
  }

  /** Behind a boundary: two dashes end the body, a line break (after blanks) begins a part. */
  #afterBoundary(bytes: Buffer): Buffer {
    let at = 0;
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
    if (at > this.#limits.head) throw new Refusal(413, 'a boundary line is too long');
    if (bytes.length < at + 2) return bytes;
    if (at === 0 && bytes[0] === 0x2d && bytes[1] === 0x2d) {
      this.#state = 'done';
      return bytes.subarray(2);
    }
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) throw new Refusal(400, 'a boundary line is not valid');
    if (++this.#parts > this.#limits.parts)
      throw new Refusal(413, `there are more than ${this.#limits.parts} parts`);
    this.#state = 'head';
    return bytes.subarray(at + 2);
  }

  *#data(bytes: Buffer): Generator<PartEvent, Buffer> {
    const mark = this.#mark;
    const at = bytes.indexOf(mark);
    // Behind a head stands a line break that is not the body's.
    const lead = this.#fresh ? 2 : 0;
    if (at >= 0) {
      if (at > lead) yield { type: 'data', bytes: bytes.subarray(lead, at) };
      this.#fresh = false;
      this.#state = 'after-boundary';
      yield { type: 'end' };
      return bytes.subarray(at + mark.length);
    }
    const safe = bytes.length - mark.length;
    if (safe <= lead) return bytes;
    yield { type: 'data', bytes: bytes.subarray(lead, safe) };
    this.#fresh = false;
    return bytes.subarray(safe);
  }
}

function readHead(bytes: Buffer, limits: MultipartLimits): PartHead {
  const fields = new Map<string, string>();
  for (const line of bytes.toString('utf8').split('\r\n')) {
    const at = line.indexOf(':');
    if (at <= 0 || /^\s/.test(line)) throw new Refusal(400, 'the head of a part is not valid');
    fields.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  const disposition = fields.get('content-disposition') ?? '';
  const parameters = readParameters(disposition);
  const name = parameters.get('name');
  if (!/^form-data\s*(;|$)/i.test(disposition) || name === undefined) {
    throw new Refusal(400, 'a part has no name');
  }
  if (Buffer.byteLength(name) > limits.name)
    throw new Refusal(413, `the name of a part is over ${limits.name} bytes`);
  if (/^(base64|quoted-printable)$/i.test(fields.get('content-transfer-encoding') ?? '')) {
    throw new Refusal(400, `part ${name}: transfer encodings are not for HTTP`);
  }
  return { name, filename: extended(parameters.get('filename*')) ?? parameters.get('filename') ?? null };
}

/** Parameters of Content-Disposition. In quoted ones browsers write a quote as %22, others as \" (RFC 9110). */
function readParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const match of text.matchAll(/;\s*([\w!#$&+\-.^`|~*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g)) {
    const name = (match[1] ?? '').toLowerCase();
    const value = match[2] === undefined ? (match[3] ?? '') : match[2].replace(/\\(["\\])/g, '$1');
    if (!parameters.has(name)) parameters.set(name, value.replaceAll('%22', '"'));
  }
  return parameters;
}

/** A value of RFC 8187, `UTF-8''…`; null when it is none. */
function extended(value: string | undefined): string | null {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value ?? '');
  if (!match) return null;
  try {
    return decodeURIComponent(match[1] ?? '');
  } catch {
    return null;
  }
}
