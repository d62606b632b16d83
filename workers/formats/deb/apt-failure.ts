/** Finds the cause in the words of an apt that failed. */
import { Fault } from '../../../proto/fault.ts';

/** Words of apt about fetching: the address, then what was wrong with it. */
const FETCH = /^[EW]: (?:Failed to fetch|The repository '|The HTTP method)/;
/** Longest cause that is told, in characters. */
const LONGEST = 2000;

/**
 * `mirror` naming the address when something could not be fetched, `build-failed` naming what can't be satisfied; null
 * for other failures. apt speaks English here: LANG is C.UTF-8 for all tools.
 */
export function findFault(output: string): Fault | null {
  const lines = output.replaceAll('\r', '').split('\n');
  const unmet = unmetDependencies(lines);
  if (unmet !== '') {
    return new Fault(
      'refused',
      'build-failed',
      `build dependencies cannot be satisfied: ${unmet}`.slice(0, LONGEST),
    );
  }
  // Errors before warnings: a warning may be about a mirror that was not needed.
  const failed =
    lines.find(line => line.startsWith('E:') && FETCH.test(line)) ?? lines.find(line => FETCH.test(line));
  if (failed === undefined) return null;
  const url = /(?:https?|ftp|file):\S+/.exec(failed)?.[0].replace(/[',]+$/, '') ?? '';
  return new Fault(
    'unavailable',
    'mirror',
    `packages could not be fetched: ${failed.slice(3).trim()}`.slice(0, LONGEST),
    {
      url,
    },
  );
}

/** The block under "The following packages have unmet dependencies:", or the package that is nowhere. */
function unmetDependencies(lines: readonly string[]): string {
  const from = lines.findIndex(line => /have unmet dependencies:$/.test(line.trim()));
  if (from >= 0) {
    const until = lines.findIndex((line, at) => at > from && !line.startsWith(' '));
    return lines
      .slice(from + 1, until < 0 ? undefined : until)
      .map(line => line.trim().replace(/^(satisfy:command-line|builddeps:\S+) : /, ''))
      .join('; ');
  }
  const other = lines.find(line =>
    /^E: (Unable to locate package|Unable to satisfy|Build-dependencies for)/.test(line),
  );
  return other?.slice(3).trim() ?? '';
}
