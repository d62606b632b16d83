/** Ways through the links of a definition, none of which may leave its folder: what lies beyond is the host's. */
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';

/** Links followed on one way, as Linux does. */
const MAX_HOPS = 40;
/** Names passed on one way. Linux bounds the length of a path only, which many links multiply. */
const MAX_STEPS = 10_000;
/** What system calls answer where a path names nothing. */
export const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];
/** readlink(2) of what is no link, or of what is not there. */
const NO_LINK = ['EINVAL', ...ABSENT];

/** Where a way ends; `at` is the last place inside of the root. */
interface Way {
  readonly ends: 'inside' | 'outside' | 'circle';
  /** Names from the root on, none of them a link. */
  readonly at: readonly string[];
}

/**
 * The absolute path, free of links, that `path` below the folder `root` means; what it names need not be there. Throws
 * `unsafe-archive` where it leads out of the root, be it only on the way, or in a circle.
 */
export async function confined(root: string, path: string): Promise<string> {
  const { ends, at } = await follow(root, path);
  if (ends === 'outside') throw unsafe(`${path} leads out of the definition`);
  if (ends === 'circle') throw unsafe(`${path} is a link that leads in a circle`);
  return join(root, ...at);
}

/** Where a path leads. One whose goal is not there is judged too: a later step may put something there. */
export async function endOf(root: string, path: string): Promise<Way['ends']> {
  return (await follow(root, path)).ends;
}

async function follow(root: string, path: string): Promise<Way> {
  const at: string[] = [];
  const ahead = path.split('/').reverse();
  let hops = 0;
  for (let steps = 0; ahead.length > 0; steps++) {
    if (steps > MAX_STEPS) return { ends: 'circle', at };
    const part = ahead.pop() ?? '';
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return { ends: 'outside', at };
      continue;
    }
    at.push(part);
    const target = await targetOf(join(root, ...at));
    if (target === null) continue;
    if (target.startsWith('/')) return { ends: 'outside', at };
    if (++hops > MAX_HOPS) return { ends: 'circle', at };
    at.pop();
    ahead.push(...target.split('/').reverse());
  }
  return { ends: 'inside', at };
}

async function targetOf(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    if (NO_LINK.includes(errorCode(error))) return null;
    throw error;
  }
}

function unsafe(message: string): Fault {
  return new Fault('invalid', 'unsafe-archive', message);
}
