/** The login message as a page: the site's markdown in our frame, or in the site's own template. */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { renderMarkdown } from './markdown.ts';
import type { GatewaySettings } from './schema.ts';

/** Largest login message, in bytes; templates too. */
const MAX_MESSAGE = 64 * 1024;
/** The template's name where `[ui] templates` names a folder and `message_template` nothing. */
const TEMPLATE = 'message.html.j2';
/** The one thing a template can have filled in, whether or not marked as safe: it always is. */
const PLACE = /\{\{-?\s*message\s*(?:\|\s*safe\s*)?-?\}\}/g;

/**
 * Path of the site's template, null for our frame. A relative `message_template` lies below `templates`; a name that
 * nobody set may be missing there. Throws the reason as a string when the named file is not there or is too large.
 */
export function templatePath({
  templates,
  message_template: name,
}: Pick<GatewaySettings['ui'], 'templates' | 'message_template'>): string | null {
  if (name === null) {
    const usual = templates === null ? null : join(templates, TEMPLATE);
    return usual !== null && statSync(usual, { throwIfNoEntry: false })?.isFile() ? usual : null;
  }
  if (templates === null && !name.startsWith('/'))
    throw `"${name}" is relative, and [ui] templates is not set`;
  const path = resolve(templates ?? '/', name);
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info?.isFile()) throw `${path} is no file`;
  if (info.size > MAX_MESSAGE) throw `${path} is larger than ${MAX_MESSAGE} bytes`;
  return path;
}

/** The page; read anew each time, so that a changed message shows at once. */
export async function messagePage(ui: GatewaySettings['ui']): Promise<string> {
  const text = ui.message_login === null ? null : await readFile(ui.message_login, 'utf8').catch(() => null);
  if (text === null) throw new Fault('not_found', 'not-found', 'there is no login message');
  const body = renderMarkdown(text.slice(0, MAX_MESSAGE));
  const template = templatePath(ui);
  if (template !== null) return (await readFile(template, 'utf8')).replace(PLACE, () => body);
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Message</title></head><body>\n${body}\n</body></html>\n`;
}
