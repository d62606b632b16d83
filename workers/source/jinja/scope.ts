/** Names that are set where a statement stands, and the text that is made there. */
import { MAX_TEXT, type Value } from './values.ts';

export class Scope {
  readonly #parent: Scope | null;
  readonly #values = new Map<string, Value>();

  constructor(parent: Scope | null) {
    this.#parent = parent;
  }

  get(name: string): Value | undefined {
    const found = this.#values.get(name);
    return found === undefined ? this.#parent?.get(name) : found;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}

/** A text in the making, of a limited length. */
export class Output {
  readonly #limit: number;
  readonly #parts: string[] = [];
  #size = 0;

  /** `limit` counts characters; a caller who counts bytes does so afterwards. */
  constructor(limit = MAX_TEXT) {
    this.#limit = limit;
  }

  write(text: string): void {
    this.#size += text.length;
    if (this.#size > this.#limit) throw new Error(`gives more than ${this.#limit} bytes`);
    this.#parts.push(text);
  }

  toString(): string {
    return this.#parts.join('');
  }
}
