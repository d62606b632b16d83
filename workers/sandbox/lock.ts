/**
 * Locks between threads and processes of one host: an abstract Unix socket's name is free or bound, and its owner's
 * death frees it. Node has no flock(2).
 */
import { createHash, randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, Fault } from '../../proto/fault.ts';

/** Gives a lock back. */
export type Release = () => void;

/** Holders that a shared lock can have at once. */
const SHARES = 64;
/** Milliseconds between tries, and until a wait is given up. */
const RETRY = 100;
const PATIENCE = 30 * 60 * 1000;

/** Waits until nobody else holds that name (any text, an absolute path by habit) exclusively. */
export async function lockExclusive(name: string, signal?: AbortSignal): Promise<Release> {
  return waitFor(() => bind(`${name}\0x`), name, signal);
}

/** Waits until nobody holds that name alone. Others may share it. */
export async function lockShared(name: string, signal?: AbortSignal): Promise<Release> {
  return waitFor(
    async () => {
      const first = randomInt(SHARES);
      for (let at = 0; at < SHARES; at++) {
        const release = await bind(`${name}\0${(first + at) % SHARES}`);
        if (release) return release;
      }
      return null;
    },
    name,
    signal,
  );
}

/** Takes a shared name alone, if nobody shares it now. */
export async function tryLockAlone(name: string): Promise<Release | null> {
  const held: Release[] = [];
  for (let at = 0; at < SHARES; at++) {
    const release = await bind(`${name}\0${at}`);
    if (!release) {
      for (const each of held) each();
      return null;
    }
    held.push(release);
  }
  return () => {
    for (const each of held) each();
  };
}

async function waitFor(
  attempt: () => Promise<Release | null>,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Release> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    signal?.throwIfAborted();
    const release = await attempt();
    if (release) return release;
    if (performance.now() > deadline) {
      throw new Fault('unavailable', 'busy', `waited ${PATIENCE / 60_000} minutes for the lock of ${name}`);
    }
    await sleep(RETRY);
  }
}

/** Binds a name; null when somebody else has it. */
async function bind(name: string): Promise<Release | null> {
  const digest = createHash('sha256').update(name).digest('hex');
  const server = createServer(socket => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', error => {
      if (errorCode(error) === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(`\0rackwright-lock-${digest}`, () => resolve(() => void server.close()));
  });
}
