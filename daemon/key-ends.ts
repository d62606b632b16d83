/** When the instances' signing keys end: told a month ahead, since publications fail from then on. */
import type { Definitions } from './store/definitions.ts';
import type { Keyrings } from './store/keyrings.ts';

/** Seconds before a key's end from which it is told, and between two tellings. */
const AHEAD = 30 * 86_400;
const EVERY = 86_400;

export interface KeyEnd {
  readonly instance: string;
  /** Seconds since the epoch; 0 = never. */
  readonly expires: number;
}

export interface KeyParts {
  readonly keyrings: Pick<Keyrings, 'read'>;
  readonly definitions: Pick<Definitions, 'all'>;
}

/** The end of each instance's keys, of the one that ends first; instances without keys are left out. */
export async function readKeyEnds({ keyrings, definitions }: KeyParts): Promise<KeyEnd[]> {
  const ends = await Promise.all(
    definitions.all().map(async ({ id }): Promise<KeyEnd[]> => {
      const keyring = await keyrings.read(id);
      if (keyring === null) return [];
      const times = [keyring.master.expires, keyring.subkey.expires].filter(time => time > 0);
      return [{ instance: id, expires: times.length === 0 ? 0 : Math.min(...times) }];
    }),
  );
  return ends.flat();
}

/** Warns of keys that end within a month or have ended, of each once a day; to be called now and then. */
export function keyEndWarner(
  parts: KeyParts & { readonly warn: (text: string) => void },
): (now: number) => Promise<void> {
  const told = new Map<string, number>();
  return async now => {
    for (const { instance, expires } of await readKeyEnds(parts)) {
      if (expires === 0 || expires - now > AHEAD || now - (told.get(instance) ?? 0) < EVERY) continue;
      told.set(instance, now);
      const date = new Date(expires * 1000).toISOString().slice(0, 10);
      const ends = expires <= now ? 'expired' : 'expires';
      parts.warn(`the signing key of ${instance} ${ends} on ${date}: renew its keyring`);
    }
  };
}
