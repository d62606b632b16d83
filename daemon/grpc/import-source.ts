/** What an import may read: any folder for the administrator on the host, for others what a setting opens to them. */
import { normalize } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { Door } from './caller.ts';

/** Longest address or path, in characters; Linux takes paths of 4096 bytes. */
const MAX_SOURCE = 4096;

/**
 * Parameters of the task, `source` and for a folder that must lie below another `root`; the task looks again, with
 * symbolic links resolved. `root` is `[registry] import_root`. Throws `bad-input`, `no-permission`.
 */
export function importSource(
  source: string,
  door: Door,
  root: string | null,
): { readonly source: string; readonly root?: string } {
  if (source.length > MAX_SOURCE) throw bad(`the source is longer than ${MAX_SOURCE} characters`);
  if (/^https?:/i.test(source)) return { source: checkAddress(source) };
  if (!source.startsWith('/') || source.includes('\0'))
    throw bad('the source is neither an absolute path nor an http(s) address');
  if (door === 'control') return { source };
  if (root === null) {
    throw new Fault(
      'forbidden',
      'no-permission',
      'folders of the host are imported over the local control socket only, unless [registry] import_root names one for others',
    );
  }
  const folder = withoutEnd(normalize(source));
  const top = withoutEnd(normalize(root));
  if (folder === top || folder.startsWith(top === '/' ? '/' : `${top}/`))
    return { source: folder, root: top };
  throw new Fault('forbidden', 'no-permission', `only folders below ${top} can be imported from here`);
}

/** The task's parameters are for everybody to read who may see the task, and the address gets paths appended. */
function checkAddress(address: string): string {
  const url = URL.canParse(address) && !/\s/.test(address) ? new URL(address) : null;
  if (url === null || !/^https?:\/\//.test(address)) throw bad('the source is no http(s) address');
  if (url.username !== '' || url.password !== '') {
    throw bad(
      'credentials have no place in an address, which tasks and journals show: give access to this host, or import from a copy in a folder',
    );
  }
  if (url.search !== '' || url.hash !== '') throw bad('the address of a repository has no query or fragment');
  return address;
}

function withoutEnd(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

function bad(message: string): Fault {
  return new Fault('invalid', 'bad-input', message);
}
