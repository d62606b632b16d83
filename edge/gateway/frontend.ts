/** Files of a browser frontend, ours or Slurm-web's own, with the public prefix filled in. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

export interface FrontendFile {
  readonly type: string;
  readonly body: Buffer;
  /** Named by a hash of its content, so it never changes. */
  readonly immutable: boolean;
}

/** What Slurm-web's frontend, and ours, has for the public prefix in its text files. */
const PLACEHOLDER = '/__SLURMWEB_BASE__';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
};
const TEXT = /^(text\/|application\/json|image\/svg)/;
/** Largest file served, and most bytes kept in memory. */
const MAX_FILE = 16 * 1024 * 1024;
const MAX_KEPT = 64 * 1024 * 1024;

export class Frontend {
  private readonly root: string;
  private readonly prefix: string;
  private readonly kept = new Map<string, { file: FrontendFile; changed: number }>();
  private size = 0;

  constructor(root: string, prefix: string) {
    this.root = root;
    this.prefix = prefix;
  }

  /** A file by its path below the root, null for none. */
  async read(path: string): Promise<FrontendFile | null> {
    const parts = path.split('/').filter(part => part !== '');
    if (parts.length === 0 || parts.some(part => part.startsWith('.') || /[\p{Cc}\\]/u.test(part)))
      return null;
    const whole = join(this.root, ...parts);
    try {
      const [root, real] = await Promise.all([realpath(this.root), realpath(whole)]);
      if (!real.startsWith(root + sep)) return null;
      return await this.load(real, path);
    } catch {
      return null;
    }
  }

  private async load(real: string, path: string): Promise<FrontendFile | null> {
    const info = await stat(real);
    if (!info.isFile() || info.size > MAX_FILE) return null;
    const kept = this.kept.get(real);
    if (kept?.changed === info.mtimeMs) return kept.file;
    const type = TYPES[extname(real).toLowerCase()] ?? 'application/octet-stream';
    const bytes = await readFile(real);
    const body = TEXT.test(type)
      ? Buffer.from(bytes.toString('utf8').replaceAll(PLACEHOLDER, this.prefix), 'utf8')
      : bytes;
    const file = { type, body, immutable: /^\/?assets\/.*[-.][\w-]{8,}\.\w+$/.test(path) };
    if (kept) this.size -= kept.file.body.length;
    if (this.size + body.length <= MAX_KEPT) {
      this.kept.set(real, { file, changed: info.mtimeMs });
      this.size += body.length;
    }
    return file;
  }
}
