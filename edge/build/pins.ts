/**
 * Pins: a client that has read a registry's entry file gets the other files of that very generation, so that its reads
 * never straddle a publication.
 */
import type { Socket } from 'node:net';

/** Milliseconds that a pin holds. */
const HOLD = 60_000;
/** Pins of one connection, and of peers without one. */
const MAX_PER_SOCKET = 64;
const MAX_BY_PEER = 10_000;

interface Pin {
  readonly folder: string;
  readonly until: number;
}

/** Who reads: the connection itself, unless a proxy shares it among many; and the peer by address and credential. */
export interface Reader {
  readonly socket: Socket | null;
  readonly peer: string;
}

/** Folders of generations that readers are pinned to, by the link that leads there. */
export class Pins {
  readonly #bySocket = new WeakMap<Socket, Map<string, Pin>>();
  readonly #byPeer = new Map<string, Pin>();
  readonly #now: () => number;

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  set(reader: Reader, link: string, folder: string): void {
    const pin = { folder, until: this.#now() + HOLD };
    if (reader.socket) {
      const pins = this.#bySocket.get(reader.socket) ?? new Map<string, Pin>();
      this.#bySocket.set(reader.socket, pins);
      put(pins, link, pin, MAX_PER_SOCKET);
    }
    put(this.#byPeer, `${reader.peer}\0${link}`, pin, MAX_BY_PEER);
  }

  /** The folder to read from instead of the link's present one; null without a pin. A connection's own pin wins. */
  find(reader: Reader, link: string): string | null {
    const own = reader.socket ? this.#bySocket.get(reader.socket)?.get(link) : undefined;
    const pin = own ?? this.#byPeer.get(`${reader.peer}\0${link}`);
    return pin && pin.until > this.#now() ? pin.folder : null;
  }
}

/** Puts a pin last; the oldest gives way. */
function put(pins: Map<string, Pin>, key: string, pin: Pin, limit: number): void {
  pins.delete(key);
  pins.set(key, pin);
  if (pins.size <= limit) return;
  for (const oldest of pins.keys()) {
    pins.delete(oldest);
    return;
  }
}
