/** Answers kept by key within a number of bytes, the least recently used dropped first. */

/** Entries besides which bytes hardly count. */
const MAX_ENTRIES = 10_000;

/** A bounded memory of answers. */
export class AnswerMemory<T> {
  readonly #limit: number;
  readonly #sizeOf: (value: T) => number;
  readonly #entries = new Map<string, T>();
  #bytes = 0;

  /** `limit` in bytes. */
  constructor(limit: number, sizeOf: (value: T) => number) {
    this.#limit = limit;
    this.#sizeOf = sizeOf;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** What is larger than an eighth of the limit is not kept: it would push all else out. */
  set(key: string, value: T): void {
    const size = this.#sizeOf(value);
    this.delete(key);
    if (size > this.#limit / 8) return;
    this.#entries.set(key, value);
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit && this.#entries.size <= MAX_ENTRIES) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#sizeOf(value);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
