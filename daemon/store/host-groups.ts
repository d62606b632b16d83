/** Unix groups of logins, asked of the host's name service, wherever it keeps them. */
import { execFile } from 'node:child_process';

/** Milliseconds an answer is remembered, and a question may take. */
const FRESH = 30_000;
const PATIENCE = 5000;
/** Logins remembered. */
const MAX_LOGINS = 10_000;

export class HostGroups {
  readonly #now: () => number;
  readonly #known = new Map<
    string,
    { readonly groups: Promise<ReadonlySet<string>>; readonly asked: number }
  >();

  /** `now` is monotonic, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Groups of a login, its primary one among them; none for a login that the host does not know. */
  of(login: string): Promise<ReadonlySet<string>> {
    const known = this.#known.get(login);
    if (known && this.#now() - known.asked < FRESH) return known.groups;
    const groups = run('id', ['-Gnz', '--', login]).then(text => new Set(text?.split('\0').filter(Boolean)));
    this.#known.delete(login);
    this.#known.set(login, { groups, asked: this.#now() });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_LOGINS) break;
      this.#known.delete(oldest);
    }
    return groups;
  }

  async exists(group: string): Promise<boolean> {
    return (await run('getent', ['group', '--', group])) !== null;
  }
}

/** Standard output; null when the command failed. */
function run(command: string, words: readonly string[]): Promise<string | null> {
  return new Promise(resolve => {
    execFile(command, words, { timeout: PATIENCE, encoding: 'utf8' }, (error, stdout) => {
      resolve(error ? null : stdout);
    });
  });
}
