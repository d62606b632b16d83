/** Suggests the name that was probably meant. */

/** Longest name that is compared, in characters: the distance costs the product of both lengths. */
const LONGEST = 64;

/** `, did you mean NAME?` for the known name within two edits (three for long names), else nothing. */
export function nearest(name: string, known: readonly string[]): string {
  if (name.length > LONGEST) return '';
  let best = '';
  let least = name.length > 8 ? 4 : 3;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least || candidate.length > LONGEST) continue;
    const distance = edits(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best === '' ? '' : `, did you mean ${best}?`;
}

/** Edits between two words, a swap of neighbours counting as one (optimal string alignment). */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
