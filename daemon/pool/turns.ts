/** Hands a few things out to many, one each, first come first served, opening them when they are needed. */
import { Fault } from '../../proto/fault.ts';

export interface TurnsOptions<T> {
  /** Things that may be open. */
  readonly most: number;
  /** Askers that may wait. */
  readonly waiting: number;
  readonly open: () => T;
  /** Whether a thing that was given back can be handed out again. */
  readonly isUsable: (thing: T) => boolean;
}

interface Asker<T> {
  readonly resolve: (thing: T) => void;
  readonly reject: (fault: Fault) => void;
  readonly timer: NodeJS.Timeout;
}

/** A queue for things. */
export class Turns<T> {
  readonly #options: TurnsOptions<T>;
  readonly #idle: T[] = [];
  readonly #askers: Asker<T>[] = [];
  #out = 0;

  constructor(options: TurnsOptions<T>) {
    this.#options = options;
  }

  /** A thing, in turn. Throws `unavailable` when too many wait, or none is free within `limit` milliseconds. */
  async take(limit: number): Promise<T> {
    if (this.#out < this.#options.most) return this.#handOut();
    if (this.#askers.length >= this.#options.waiting)
      throw new Fault('unavailable', 'busy', 'Too many drawings are waiting, try again');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const at = this.#askers.findIndex(asker => asker.timer === timer);
        if (at >= 0) this.#askers.splice(at, 1);
        reject(
          new Fault('unavailable', 'timeout', `No renderer was free within ${Math.round(limit / 1000)} s`),
        );
      }, limit);
      this.#askers.push({ resolve, reject, timer });
    });
  }

  /** Gives a thing back. */
  give(thing: T): void {
    this.#out--;
    if (this.#options.isUsable(thing)) this.#idle.push(thing);
    const next = this.#askers.shift();
    if (!next) return;
    clearTimeout(next.timer);
    try {
      next.resolve(this.#handOut());
    } catch (error) {
      next.reject(error as Fault);
    }
  }

  /** Refuses all who wait. */
  close(): void {
    for (const asker of this.#askers.splice(0)) {
      clearTimeout(asker.timer);
      asker.reject(new Fault('unavailable', 'busy', 'The service is stopping'));
    }
  }

  /** The warmest one that still lives, else a new one. */
  #handOut(): T {
    let thing = this.#idle.pop();
    while (thing !== undefined && !this.#options.isUsable(thing)) thing = this.#idle.pop();
    const found = thing ?? this.#options.open();
    this.#out++;
    return found;
  }
}
