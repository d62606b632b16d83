/** The three indexes of an rpm repository: what a package contributes to each, and the file that names them. */
import type { CatalogueEntry } from '../job.ts';
import { packageId, type RpmStanza } from './rpm-package.ts';
import type { IndexRecord } from './segments.ts';

export const KINDS = ['primary', 'filelists', 'other'] as const;
export type Kind = (typeof KINDS)[number];

/** Opening tags of the three indexes (the formats that createrepo writes); the count goes between. */
export const OPENING: Readonly<Record<Kind, string>> = {
  primary:
    '<metadata xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm"',
  filelists: '<filelists xmlns="http://linux.duke.edu/metadata/filelists"',
  other: '<otherdata xmlns="http://linux.duke.edu/metadata/other"',
};
export const CLOSING: Readonly<Record<Kind, string>> = {
  primary: '</metadata>\n',
  filelists: '</filelists>\n',
  other: '</otherdata>\n',
};

export function recordOf(kind: Kind, entry: CatalogueEntry): IndexRecord {
  const text = (JSON.parse(entry.stanza) as RpmStanza)[kind];
  return { key: keyOf(text), text };
}

/** Name, then digest: packages of one name lie together. */
function keyOf(piece: string): string {
  const name = /<name>([^<]*)<\/name>|^<package pkgid="[0-9a-f]+" name="([^"]*)"/.exec(piece);
  return `${name?.[1] ?? name?.[2] ?? ''} ${packageId(piece)}`;
}

/** Takes the text of an index apart again. */
export function splitPackages(text: string): IndexRecord[] {
  return (text.match(/<package [\s\S]*?<\/package>\n/g) ?? []).map(piece => ({
    key: keyOf(piece),
    text: piece,
  }));
}

/** A file of the metadata: what kind it is, its name, digests and sizes of it packed and unpacked. */
export interface DataFile {
  readonly kind: string;
  readonly file: string;
  readonly packed: { readonly sha256: string; readonly size: number };
  readonly open: { readonly sha256: string; readonly size: number };
}

/** Its `<data>` element; `date` in seconds. */
export function renderData({ kind, file, packed, open }: DataFile, date: number): string {
  return [
    `  <data type="${kind}">`,
    `    <checksum type="sha256">${packed.sha256}</checksum>`,
    `    <open-checksum type="sha256">${open.sha256}</open-checksum>`,
    `    <location href="repodata/${file}"/>`,
    `    <timestamp>${date}</timestamp>`,
    `    <size>${packed.size}</size>`,
    `    <open-size>${open.size}</open-size>`,
    '  </data>',
  ].join('\n');
}

/** The file that names the indexes, by their `<data>` elements; `date` in seconds is its revision. */
export function renderRepomd(date: number, data: readonly string[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<repomd xmlns="http://linux.duke.edu/metadata/repo" xmlns:rpm="http://linux.duke.edu/metadata/rpm">',
    `  <revision>${date}</revision>`,
    ...data,
    '</repomd>',
    '',
  ].join('\n');
}
