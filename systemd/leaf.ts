/** Moves a service out of the way of the control groups that it makes: under version 2 inner groups may not hold processes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Name of the group that a service sits in; its tasks' groups lie beside. */
const LEAF = 'daemon';

/**
 * To be called before anything else is started. Moves this process into a leaf below its own group, where the host has
 * handed that group over to it (`Delegate=` in its unit): then it may write there and is alone in it. Everywhere else
 * nothing happens. Answers the leaf's absolute path, null where there is none.
 */
export function enterLeaf(): string | null {
  const own = ownGroup();
  if (own === null || basename(own) === LEAF) return own;
  try {
    const members = readFileSync(join(own, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
    // Others in it (a shell, a session) are not ours to move, and without that nothing is gained.
    if (members.join() !== String(process.pid)) return null;
    const leaf = join(own, LEAF);
    // Stays after an end: then it is there already.
    mkdirSync(leaf, { recursive: true });
    writeFileSync(join(leaf, 'cgroup.procs'), String(process.pid));
    return leaf;
  } catch {
    // Not delegated to us: tasks say in their journals which limits are not in force.
    return null;
  }
}

/** Absolute path of our group in the hierarchy of version 2; null without one, and for its root, which may hold anything. */
function ownGroup(): string | null {
  const path = /^0::(\/.+)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  const mounted = /^\d+ \d+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(
    readFileSync('/proc/self/mountinfo', 'utf8'),
  );
  if (path === undefined || mounted === null) return null;
  const [, root = '/', mount = ''] = mounted;
  // A container may see its own group as the mount's root.
  return join(mount, root !== '/' && path.startsWith(root) ? path.slice(root.length) : path);
}
