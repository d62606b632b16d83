/** What to write into a log about an error of a library: the innermost cause, on one line. */

/** Message and code of the innermost cause; never a stack. */
export function errorText(error: unknown): string {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error && inner.cause instanceof Error; depth += 1) {
    inner = inner.cause;
  }
  if (!(inner instanceof Error)) return String(inner);
  const detail = (inner as { detail?: unknown }).detail;
  return typeof detail === 'string' && detail !== '' ? detail : inner.message || inner.name;
}
