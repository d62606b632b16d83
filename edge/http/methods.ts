/** Which methods a path answers to: what OPTIONS and 405 say in `Allow`. */

export interface KnownRoute {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/**
 * A route as fastify was told of it: `:name` is one segment or part of one, `:name(…)` one that the expression in brackets
 * matches, `*` the rest of the path.
 */
export function knownRoute(url: string, methods: string | readonly string[]): KnownRoute {
  const source = url
    .split(/(:\w+(?:\((?:[^()\\]|\\.|\([^()]*\))*\))?|\*)/)
    .map(part => {
      const expression = /^:\w+\(\^?(.*?)\$?\)$/.exec(part)?.[1];
      if (expression !== undefined) return `(?:${expression})`;
      if (part.startsWith(':')) return '[^/]*?';
      return part === '*' ? '.*' : part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');
    })
    .join('');
  // A fallback for all paths says nothing about any one of them.
  const pattern = url === '/*' || url === '*' ? /^(?!)/ : new RegExp(`^${source}$`, 's');
  return { pattern, methods: typeof methods === 'string' ? [methods] : methods };
}

/** Methods of a path with OPTIONS, sorted; empty when no route has the path, but for what answers to any preflight. */
export function allowedMethods(routes: readonly KnownRoute[], path: string): string[] {
  const methods = new Set<string>();
  for (const route of routes) {
    if (route.pattern.test(path)) for (const method of route.methods) methods.add(method);
  }
  methods.delete('OPTIONS');
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort();
}
