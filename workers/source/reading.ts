/** Reads files and folders of a definition, wherever in it their links lead. */
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { DOCUMENT_LIMITS } from '../../proto/document.ts';
import { errorCode, Fault } from '../../proto/fault.ts';
import { ABSENT, confined } from './confined.ts';

/**
 * A file's bytes as they are; null when it is not there. `tooLarge` is the fault of one above `limit` bytes. A link that
 * leaves the definition or loops is `unsafe-archive` (hardening R12).
 */
export async function readBytes(
  folder: string,
  name: string,
  limit: number = DOCUMENT_LIMITS.bytes,
  tooLarge: 'bad-definition' | 'bad-patch' = 'bad-definition',
): Promise<Buffer | null> {
  const path = await confined(folder, name);
  try {
    if ((await lstat(path)).size > limit) {
      throw new Fault('invalid', tooLarge, `${name} is larger than ${limit} bytes`);
    }
    return await readFile(path);
  } catch (error) {
    const code = errorCode(error);
    if (ABSENT.includes(code)) return null;
    if (code === 'EISDIR') throw new Fault('invalid', 'bad-layout', `${name} is a directory`);
    throw error;
  }
}

/** The same as a text, what is no UTF-8 in it as replacement characters. */
export async function readText(folder: string, name: string): Promise<string | null> {
  return (await readBytes(folder, name))?.toString('utf8') ?? null;
}

/** The same as the text of a template. Throws `bad-template` too. */
export async function readTemplate(folder: string, name: string): Promise<string | null> {
  const bytes = await readBytes(folder, name);
  return bytes === null ? null : templateText(name, bytes);
}

/** What is no UTF-8 can't be rendered without changing it, so it is `bad-template`. */
export function templateText(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Fault('invalid', 'bad-template', `template ${name}: is no UTF-8`, { template: name });
  }
}

/** What is in a folder; nothing when it is no folder. */
export async function readFolder(folder: string, name: string): Promise<Dirent[]> {
  const path = await confined(folder, name);
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (ABSENT.includes(errorCode(error))) return [];
    throw error;
  }
}
