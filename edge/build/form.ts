/** The fields of a submission and what each may hold. */
import { ARTIFACT_NAME } from '../../proto/words.ts';
import { Refusal } from '../http/problem.ts';

/** Text parts that a submission must have. */
const TEXT_PARTS = [
  'format',
  'distribution',
  'derivative',
  'architectures',
  'artifact',
  'user_name',
  'user_email',
  'message',
] as const;
export type TextPart = (typeof TEXT_PARTS)[number];

/** A submission's fields, checked as far as they can be without knowing the instance. */
export interface Form {
  readonly format: string;
  readonly distribution: string;
  readonly derivative: string;
  readonly architectures: string[];
  readonly artifact: string;
  readonly author: string;
  readonly email: string;
  readonly message: string;
}

export function isTextPart(name: string): name is TextPart {
  return (TEXT_PARTS as readonly string[]).includes(name);
}

/** Gathers text parts as they come. */
export class Fields {
  readonly #values = new Map<TextPart, string>();

  /** Throws 400 for a part that stands twice, other than one distribution repeated. */
  add(name: TextPart, bytes: Buffer): void {
    const value = decode(name, bytes);
    const earlier = this.#values.get(name);
    if (earlier !== undefined && !(name === 'distribution' && earlier === value)) {
      throw new Refusal(400, `${name} is given twice`);
    }
    this.#values.set(name, value);
  }

  /** Everything at once. Throws 400 naming the first part that is missing or not valid. */
  check(): Form {
    const architectures = this.#needed('architectures')
      .split(',')
      .map(word => word.trim());
    if (architectures.includes('')) throw new Refusal(400, 'architectures has an empty item');
    const artifact = this.#needed('artifact');
    if (!ARTIFACT_NAME.test(artifact)) throw new Refusal(400, 'artifact is not a valid name');
    return {
      format: this.#word('format'),
      distribution: this.#word('distribution'),
      derivative: this.#word('derivative'),
      architectures: [...new Set(architectures)],
      artifact,
      author: this.#line('user_name'),
      email: this.#line('user_email'),
      message: this.#message(),
    };
  }

  #needed(name: TextPart): string {
    const value = this.#values.get(name);
    if (value === undefined || value === '') throw new Refusal(400, `${name} is missing`);
    return value;
  }

  #word(name: TextPart): string {
    const value = this.#needed(name);
    if (/[\0-\x20\x7f]/.test(value)) throw new Refusal(400, `${name} is not a valid name`);
    return value;
  }

  /** One line that goes into "Name <email>". */
  #line(name: TextPart): string {
    const value = this.#needed(name);
    if (/[<>\0-\x1f\x7f-\x9f\u2028\u2029]/.test(value)) {
      throw new Refusal(400, `${name} must be one line without < and >`);
    }
    return value;
  }

  #message(): string {
    const value = this.#needed('message').replaceAll('\r\n', '\n');
    if (/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(value)) throw new Refusal(400, 'message holds control characters');
    if (value.trim() === '') throw new Refusal(400, 'message is missing');
    return value;
  }
}

function decode(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal(400, `${name} is not valid UTF-8`);
  }
}

const ARCHIVE = /\.(tar\.(xz|gz|bz2|zst)|tgz|zip)$/;

/** The identifier of a `source/{id}` part. Throws 400. */
export function sourceIdOf(name: string): string {
  const id = name.slice('source/'.length);
  if (!ARTIFACT_NAME.test(id)) throw new Refusal(400, `${shown(name)} names no valid source`);
  return id;
}

/**
 * The file name of a source archive: identifier, one character, version, archive extension. `~` and all else survive.
 * Throws 400.
 */
export function sourceFileOf(id: string, filename: string | null): string {
  const name = (filename ?? '').slice((filename ?? '').lastIndexOf('/') + 1);
  const version = name.slice(id.length + 1).replace(ARCHIVE, '');
  const fits = name.startsWith(id) && ARCHIVE.test(name) && /^[A-Za-z0-9][\w.+~:-]*$/.test(version);
  if (!fits || name.length > 255) {
    throw new Refusal(
      400,
      `source/${id}: the file name must be ${id}-VERSION.tar.xz or another archive of it`,
    );
  }
  return name;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
