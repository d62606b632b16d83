/** Serves a folder over HTTP as a plain web server does: for clients of a registry, without our edge. */
import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

export interface TreeServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Paths asked for, in order. */
  readonly asked: string[];
  /** Answers instead of the file where it gives something: other bytes, or that there is none. */
  tamper: ((path: string) => Buffer | 404 | null) | null;
  close(): Promise<void>;
}

export async function serveTree(root: string): Promise<TreeServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => answer(request, response));
  const state: { tamper: TreeServer['tamper'] } = { tamper: null };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname));
    asked.push(path);
    const instead = state.tamper?.(path) ?? null;
    if (instead !== null) {
      if (instead === 404) response.writeHead(404).end();
      else response.end(instead);
      return;
    }
    try {
      const found = statSync(join(root, path));
      if (!found.isFile()) throw new Error('no file');
      response.writeHead(200, { 'content-length': found.size, 'last-modified': found.mtime.toUTCString() });
      if (request.method === 'HEAD') response.end();
      else
        createReadStream(join(root, path))
          .on('error', () => response.destroy())
          .pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  };
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get tamper() {
      return state.tamper;
    },
    set tamper(value) {
      state.tamper = value;
    },
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
