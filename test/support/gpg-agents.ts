/** Agents of gpg that run on homes of ours. */
import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of those whose home is that folder or lies below it. */
export function agentsBelow(folder: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      const [program, ...words] = commandOf(pid);
      return program?.endsWith('gpg-agent') && words.some(word => word.startsWith(folder));
    });
}

/** Waits until there is none. */
export async function agentsGone(folder: string): Promise<void> {
  while (agentsBelow(folder).length > 0) await new Promise(resolve => setTimeout(resolve, 50));
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
