/** Directories of stored files as a page. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { FormatName } from '../../proto/words.ts';
import { type Html, html } from '../http/page.ts';
import { bytes, type Crumb, sendPage, table, time } from './frame.ts';
import { isPublicName } from './public-path.ts';
import { type BuildDeps, baseOf } from './scope.ts';

/** Entries shown of one directory. */
const MAX_ENTRIES = 5000;

export interface Directory {
  readonly instance: string;
  readonly format: FormatName;
  /** Below the public tree. */
  readonly segments: readonly string[];
  /** On disk. */
  readonly path: string;
}

export async function sendListing(
  deps: BuildDeps,
  reply: FastifyReply,
  directory: Directory,
): Promise<FastifyReply> {
  const { instance, format, segments } = directory;
  const base = baseOf(deps, instance);
  const root = `${base}${format}/`;
  const here = segments.reduce((way, segment) => `${way}${encodeURIComponent(segment)}/`, root);
  const names = (await readdir(directory.path)).filter(isPublicName).sort();
  const rows = await Promise.all(names.slice(0, MAX_ENTRIES).map(name => row(directory.path, here, name)));
  const crumbs: Crumb[] = [{ text: format, href: root }];
  for (const segment of segments) {
    crumbs.push({ text: segment, href: `${crumbs.at(-1)?.href}${encodeURIComponent(segment)}/` });
  }
  const more = names.length > MAX_ENTRIES && html`<p>${names.length - MAX_ENTRIES} more are not shown.</p>`;
  const files = rows.filter(known => known !== null);
  return sendPage(reply, deps.frame, {
    title: `${format}/${segments.join('/')}`,
    base,
    crumbs,
    main: html`${table('Files', ['Name', '#Size', 'Changed'], files, 'Nothing is here.')}${more || null}`,
  });
}

async function row(folder: string, here: string, name: string): Promise<(string | Html)[] | null> {
  const stats = await stat(join(folder, name)).catch(() => null);
  if (!stats || !(stats.isFile() || stats.isDirectory())) return null;
  const slash = stats.isDirectory() ? '/' : '';
  const link = html`<a href="${here}${encodeURIComponent(name)}${slash}">${name}${slash}</a>`;
  return [link, stats.isFile() ? bytes(stats.size) : '', time(Math.floor(stats.mtimeMs / 1000))];
}
