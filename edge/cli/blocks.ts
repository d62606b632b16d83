/** Tasks, artifacts and keys as people read them: blocks of `name: value`. */
import type {
  Artifact,
  ArtifactDescription,
  ImageInfo,
  KeyInfo,
  KeyringInfo,
  SourceBlock,
  Task,
} from './api.ts';
import type { Generation, RetentionPlan } from './registry-api.ts';

/** `2026-01-01 01:00:00` in the local time zone; `never` for 0. */
export function showTime(seconds: number, zero = 'never'): string {
  if (seconds === 0) return zero;
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `1h02m`, `4m05s` or `7.3s`. */
export function showSpan(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole >= 3600) return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
  if (whole >= 60) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${seconds.toFixed(1)}s`;
}

/** Keys of a task's type in the order in which they are shown, with the words that head them. */
const DETAILS: readonly (readonly [key: string, shown: string])[] = [
  ['author', 'author'],
  ['email', 'email'],
  ['distribution', 'distribution'],
  ['architectures', 'architectures'],
  ['derivative', 'derivative'],
  ['format', 'format'],
  ['artifact', 'artifact'],
  ['message', 'message'],
  ['version', 'version'],
  ['environment', 'environment'],
  ['architecture', 'architecture'],
  ['duration', 'duration'],
  ['force', 'force'],
  ['term', 'term'],
  ['command', 'command'],
  ['policy', 'policy'],
];

/** A task as a block, each line ended. */
export function showTask(task: Task): string {
  const lines = [
    `- id: ${task.id}`,
    `  user: ${task.user}`,
    `  name: ${task.name}`,
    `  state: ${task.state}`,
    `  result: ${task.result}`,
    `  place: ${task.place}`,
    `  submission:  ${showTime(task.submission)}`,
  ];
  if (task.started) lines.push(`  started: ${showTime(task.started)}`);
  if (task.ended) lines.push(`  ended: ${showTime(task.ended)}`);
  if (task.reason) lines.push(`  reason: ${inLine(task.reason)}`);
  lines.push(
    '  io:',
    `    interactive: ${task.io.interactive ? 'True' : 'False'}`,
    `    console: ${task.io.console}`,
    `    journal: ${task.io.journal.path}`,
  );
  if (Array.isArray(task.archives)) lines.push(...showArchives(task.archives as SourceBlock[]));
  for (const [key, shown] of DETAILS) {
    const value = task[key];
    if (value !== undefined && value !== '') lines.push(`  ${shown}: ${showValue(value)}`);
  }
  for (const [key, value] of Object.entries((task.parameters as Record<string, string> | undefined) ?? {}))
    if (!value.includes('\n')) lines.push(`  ${key}: ${value}`);
  return `${lines.join('\n')}\n`;
}

function showArchives(archives: readonly SourceBlock[]): string[] {
  if (archives.length === 0) return ['  archives: ∅'];
  return ['  archives:', ...archives.flatMap(({ id, path }) => [`  - id: ${id}`, `    path: ${path}`])];
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'object' && value !== null && 'name' in value) {
    const { name, version, architecture } = value as Artifact;
    return `${name} ${version} (${architecture})`;
  }
  return inLine(String(value));
}

/** A text in one line; further lines of it are set in below. */
function inLine(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n    ');
}

/** Tasks as one list. */
export function showTasks(tasks: readonly Task[]): string {
  return tasks.map(showTask).join('');
}

/** An artifact as a block. */
export function showArtifact({ name, architecture, version, size }: Artifact): string {
  return `- name: ${name}\n  architecture: ${architecture}\n  version: ${version}\n  size: ${size}\n`;
}

/** A state of a registry as a block. */
export function showGeneration({ name, created, superseded, task, snapshots }: Generation): string {
  const until = superseded === null ? 'the present state' : showTime(superseded);
  const held = snapshots.length === 0 ? '∅' : snapshots.join(', ');
  return `- name: ${name}\n  created: ${showTime(created)}\n  superseded: ${until}\n  task: ${task}\n  snapshots: ${held}\n`;
}

/** An artifact that retention would take out. */
export function showOutdated(outdated: RetentionPlan['outdated'][number]): string {
  const { published, newer_versions, snapshots } = outdated;
  const held = snapshots.length === 0 ? '' : `  stays in: ${snapshots.join(', ')}\n`;
  return `${showArtifact(outdated)}  published: ${showTime(published)}\n  newer versions: ${newer_versions}\n${held}`;
}

/** One artifact whole. */
export function showDescription(described: ArtifactDescription, artifact: Artifact): string {
  const lines = [showArtifact(artifact).trimEnd()];
  const { source, binaries, changelog, content } = described;
  if (source) lines.push('  source:', indent(showArtifact(source), 2));
  if (binaries) lines.push(binaries.length === 0 ? '  binaries: ∅' : '  binaries:');
  for (const binary of binaries ?? []) lines.push(indent(showArtifact(binary), 2));
  lines.push(changelog.length === 0 ? '  changelog: ∅' : '  changelog:');
  for (const { author, changes, date, version } of changelog) {
    lines.push(`  - version: ${version}`, `    date: ${showTime(date, 'unknown')}`, `    author: ${author}`);
    lines.push('    changes:', ...changes.map(change => `    - ${change}`));
  }
  lines.push(content.length === 0 ? '  content: ∅' : '  content:');
  for (const { path, type, size } of content) lines.push(`  - ${type} ${String(size).padStart(10)} ${path}`);
  return `${lines.join('\n')}\n`;
}

function indent(text: string, by: number): string {
  return text.trimEnd().replace(/^/gm, ' '.repeat(by));
}

/** `26 B`, `1.5 KiB`, `3.0 GiB`. */
function showSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

/** An image with its build environments as a block. */
export function showImage({ format, exists, updated, environments }: ImageInfo): string {
  const since = (there: boolean, at: number): string => (there ? showTime(at, 'unknown') : 'not made yet');
  const lines = [`- format: ${format}`, `  updated: ${since(exists, updated)}`];
  lines.push(environments.length === 0 ? '  environments: ∅' : '  environments:');
  for (const environment of environments) {
    lines.push(`  - name: ${environment.name}`, `    architecture: ${environment.architecture}`);
    lines.push(`    updated: ${since(environment.exists, environment.updated)}`);
    if (environment.exists) lines.push(`    size: ${showSize(environment.size)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A signing key with its subkey. */
export function showKeyring({ userid, updated, master, subkey }: KeyringInfo): string {
  const key = (info: KeyInfo, margin: string): string[] => [
    `${margin}fingerprint: ${info.fingerprint}`,
    `${margin}algorithm: ${info.algorithm}`,
    `${margin}expiry: ${showTime(info.expires)}`,
    `${margin}creation: ${showTime(info.created, 'unknown')}`,
  ];
  const lines = [`userid: ${userid}`, `id: ${master.id}`, ...key(master, '')];
  lines.push(`last update: ${showTime(updated, 'unknown')}`);
  if (subkey) lines.push('subkey:', ...key(subkey, '  '));
  return `${lines.join('\n')}\n`;
}
