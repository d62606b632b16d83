/** Which server a command talks to: where its URI comes from and what it means. */
import { join, resolve } from 'node:path';
import { INSTANCE_NAME } from '../../proto/words.ts';
import { places } from '../../systemd/settings.ts';
import { UsageError } from './exit.ts';

/** A daemon's Unix socket and an instance there, or the REST interface of an instance. */
export type Target =
  | { readonly kind: 'socket'; readonly uri: string; readonly path: string; readonly instance: string }
  | {
      readonly kind: 'http';
      /** As it was typed: tokens are kept by it. */
      readonly uri: string;
      /** Without slash at its end. */
      readonly base: string;
      /** Whether `base` names the instance; otherwise the server is asked for its instances. */
      readonly complete: boolean;
    };

/** Places that a URI may come from, first to last. */
export interface UriSources {
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly preference: string | null;
}

const DEFAULT_INSTANCE = 'default';

/** The first URI given, else that of the local daemon. */
export function chooseUri(sources: UriSources): string {
  return (
    sources.option ??
    (sources.env.RACKWRIGHT_URI ||
      sources.env.FATBUILDR_URI ||
      sources.preference ||
      `unix:${join(places(null).run, 'control.sock')}`)
  );
}

/** Understands a URI. Throws UsageError for what is neither a socket nor an address. */
export function parseTarget(uri: string, cwd: string, instance?: string): Target {
  if (instance !== undefined && !INSTANCE_NAME.test(instance)) {
    throw new UsageError(`"${instance}" is not the name of an instance`);
  }
  if (/^https?:\/\//i.test(uri)) return httpTarget(uri, instance);
  // What fatbuildrctl's preferences may hold: the local service and an instance.
  const local = /^dbus:\/\/system\/(.+)$/.exec(uri);
  const socket = local ? join(places(null).run, 'control.sock') : uri.replace(/^unix:(\/\/)?/, '');
  if (/^[a-z][a-z0-9+.-]*:/i.test(socket)) {
    throw new UsageError(`"${uri}" is neither unix:PATH, the path of a socket, nor http(s)://…`);
  }
  const [path = '', name] = socket.split('#');
  if (path === '') throw new UsageError(`"${uri}" names no socket`);
  const chosen = instance ?? local?.[1] ?? name ?? DEFAULT_INSTANCE;
  if (!INSTANCE_NAME.test(chosen)) throw new UsageError(`"${chosen}" is not the name of an instance`);
  return { kind: 'socket', uri, path: resolve(cwd, path), instance: chosen };
}

function httpTarget(uri: string, instance: string | undefined): Target {
  if (!URL.canParse(uri)) throw new UsageError(`"${uri}" is not an address`);
  const url = new URL(uri);
  url.search = '';
  url.hash = '';
  const base = url.href.replace(/\/+$/, '');
  if (instance !== undefined) return { kind: 'http', uri, base: `${base}/${instance}`, complete: true };
  return { kind: 'http', uri, base, complete: url.pathname.replaceAll('/', '') !== '' };
}
