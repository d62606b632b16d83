/** Reads, validates and builds a database; makes and adopts snapshots of it. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { Reading, Snapshot } from '../../../proto/renderer.ts';
import { type Finding, plainValue, type Tree } from '../../../proto/tree.ts';
import { build } from './build.ts';
import { check } from './checks.ts';
import { extend } from './extensions.ts';
import { readFiles } from './files.ts';
import { loadItems } from './load.ts';
import type { Database } from './model.ts';
import { checkRules } from './rules.ts';
import { SCHEMA, type Schema } from './schema.ts';

/** A database with what its views need beside the model. */
export interface Inventory {
  readonly database: Database;
  readonly schema: Schema;
  readonly tree: Tree;
  readonly findings: readonly Finding[];
}

/** What a compilation made: `inventory` is null exactly when a finding is an error. */
export interface Compiled {
  readonly inventory: Inventory | null;
  readonly findings: readonly Finding[];
}

/** Compiles trees that were read; `extensions` is null for none. */
export function compile(tree: Tree, extensions: Tree | null): Compiled {
  const extended = extensions ? extend(SCHEMA, extensions) : { schema: SCHEMA, findings: [] };
  if (isFaulty(extended.findings)) return { inventory: null, findings: extended.findings };
  const load = loadItems(tree, extended.schema);
  const findings = [...extended.findings, ...load.findings, ...checkRules(load)];
  if (isFaulty(findings)) return { inventory: null, findings };
  const database = build(load.root, versionOf(tree, extensions));
  findings.push(...check(database));
  return { inventory: { database, schema: extended.schema, tree, findings }, findings };
}

/** Reads the files of a database and its extensions (an absent file is none). */
export function readInventory(path: string, extensions: string | null): Compiled & Reading {
  const files = readFiles(path);
  const extra = extensions !== null && existsSync(extensions) ? readFiles(extensions) : null;
  const read = [...files.findings, ...(extra?.findings ?? [])];
  const folders = [...new Set([...files.folders, ...(extra?.folders ?? [])])];
  if (!files.tree || (extra && !extra.tree))
    return { inventory: null, snapshot: null, findings: read, folders };
  const compiled = compile(files.tree, extra?.tree ?? null);
  const findings = [...read, ...compiled.findings];
  if (!compiled.inventory) return { inventory: null, snapshot: null, findings, folders };
  const inventory = { ...compiled.inventory, findings };
  const bytes = serialize({ tree: files.tree, extensions: extra?.tree ?? null });
  return { inventory, snapshot: { version: inventory.database.version, bytes }, findings, folders };
}

/** The inventory of a snapshot; `findings` are those of its reading. */
export function adopt(snapshot: Snapshot, findings: readonly Finding[]): Inventory {
  const { tree, extensions } = deserialize(snapshot.bytes) as { tree: Tree; extensions: Tree | null };
  const { inventory } = compile(tree, extensions);
  if (!inventory) throw new Error('a snapshot was made of a faulty database');
  return { ...inventory, findings };
}

function versionOf(tree: Tree, extensions: Tree | null): string {
  const content = JSON.stringify([plainValue(tree), extensions ? plainValue(extensions) : null]);
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

function isFaulty(findings: readonly Finding[]): boolean {
  return findings.some(finding => finding.level === 'error');
}
