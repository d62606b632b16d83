/** Slows guessing of passwords: failures per user and per address within a window, in bounded memory. */

/** Failures within the window after which a user name, or an address, has to wait. */
const LIMITS = { user: 5, address: 20 } as const;
/** Window and waiting time in seconds. */
const WINDOW = 300;
/** Most names and addresses that are remembered; the oldest is forgotten. */
const MAX_ENTRIES = 50_000;

interface Entry {
  count: number;
  /** Seconds since the epoch. */
  since: number;
}

export class Throttle {
  private readonly entries = new Map<string, Entry>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Seconds to wait before another attempt, 0 for none. */
  wait(user: string, address: string): number {
    return Math.max(
      this.left(`user:${fold(user)}`, LIMITS.user),
      this.left(`address:${address}`, LIMITS.address),
    );
  }

  /** Counts an attempt before it is made, so that parallel guesses count too. */
  count(user: string, address: string): void {
    for (const key of [`user:${fold(user)}`, `address:${address}`]) {
      const entry = this.current(key) ?? { count: 0, since: this.now() / 1000 };
      this.entries.delete(key);
      this.entries.set(key, { ...entry, count: entry.count + 1 });
    }
    const oldest = this.entries.keys();
    while (this.entries.size > MAX_ENTRIES) this.entries.delete(oldest.next().value ?? '');
  }

  /** Takes a right password's attempt back. */
  succeed(user: string, address: string): void {
    this.entries.delete(`user:${fold(user)}`);
    const entry = this.entries.get(`address:${address}`);
    if (entry) entry.count -= 1;
  }

  private left(key: string, limit: number): number {
    const entry = this.current(key);
    return entry && entry.count >= limit ? Math.ceil(entry.since + WINDOW - this.now() / 1000) : 0;
  }

  private current(key: string): Entry | null {
    const entry = this.entries.get(key);
    return entry && entry.since + WINDOW > this.now() / 1000 ? entry : null;
  }
}

/** Directories don't care for letter case, so guesses in another case are guesses at the same user. */
function fold(user: string): string {
  return user.normalize('NFKC').toLowerCase().slice(0, 256);
}
