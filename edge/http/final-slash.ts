/** One trailing slash is tolerated where frontends and people write it. */

/** Takes it off a URL whose path lies below `root`, which ends with a slash itself; the query stays. */
export function withoutFinalSlash(url: string, root: string): string {
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  if (!path.endsWith('/') || !path.startsWith(root) || path.length <= root.length) return url;
  return path.slice(0, -1) + url.slice(path.length);
}
