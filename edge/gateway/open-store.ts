/** Opens the session store that a setting names. */
import { fileURLToPath } from 'node:url';
import { RedisStore } from './redis-store.ts';
import { FileStore, type SessionStore } from './store.ts';

/** `file:/PATH` or `redis://[:PASSWORD@]HOST[:PORT][/DB]`. */
export function openStore(uri: string, now: () => number): SessionStore {
  const parsed = new URL(uri);
  if (parsed.protocol === 'redis:') return new RedisStore(parsed);
  return new FileStore(fileURLToPath(parsed), now);
}
