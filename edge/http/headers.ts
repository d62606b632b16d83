/** Headers as they were sent: Node keeps the first of two, or joins them, and says nothing. */
import type { IncomingMessage } from 'node:http';

/** All values of a header, in their order. `name` is in lower case. */
export function valuesOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  // Alternating names and values.
  return rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
