/** Changelog entries: this build's own, and the text that Debian's tools read. */
import type { BuildSpec, ChangelogEntry, Job } from '../job.ts';

/** Days and months of RFC 5322 dates, as deb-changelog(5) has them. */
const DATE_LENGTH = 'Thu, 03 Feb 2000'.length;

/** The entry of a build: the message, one item a line, then the line that names task and instance. */
export function buildEntry(job: Job, spec: BuildSpec, version: string): ChangelogEntry {
  return {
    author: `${spec.author} <${spec.email}>`,
    changes: [...items(spec.message), `Rackwright task ${job.task}@${job.instance.name}`],
    // The submission's time, not the clock's: a build that is run again after a crash gives the same bytes.
    date: job.submission,
    version,
  };
}

function items(message: string): string[] {
  return message
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '');
}

/** A changelog in the form of deb-changelog(5), newest entry first. */
export function renderDebianChangelog(
  source: string,
  distribution: string,
  entries: readonly ChangelogEntry[],
): string {
  return entries
    .map(entry => {
      const changes = entry.changes.length > 0 ? entry.changes : ['No description.'];
      const body = changes.map(change => `  * ${change}`).join('\n');
      const head = `${source} (${entry.version}) ${distribution}; urgency=medium`;
      return `${head}\n\n${body}\n\n -- ${oneLine(entry.author)}  ${debianDate(entry.date)}\n`;
    })
    .join('\n');
}

/** `Thu, 03 Feb 2000 00:00:00 +0000` of seconds since the epoch. */
export function debianDate(seconds: number): string {
  const text = new Date(seconds * 1000).toUTCString();
  return `${text.slice(0, DATE_LENGTH)} ${text.slice(DATE_LENGTH + 1, -4)} +0000`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The changelog of a spec file, heading included; every `%` doubled, so that no message becomes a macro. */
export function renderRpmChangelog(entries: readonly ChangelogEntry[]): string {
  const blocks = entries.map(entry => {
    const [day, date, month, year] = new Date(entry.date * 1000).toUTCString().replace(',', '').split(' ');
    const head = `* ${day} ${month} ${date} ${year} ${oneLine(entry.author)} ${entry.version}`;
    return [head, ...entry.changes.map(change => `- ${change}`)].join('\n').replaceAll('%', '%%');
  });
  return `%changelog\n${blocks.join('\n\n')}\n`;
}

/** Reads deb-changelog(5) text leniently: what is no entry is passed over, an unreadable date is 0. */
export function parseDebianChangelog(text: string, limit = 1000): ChangelogEntry[] {
  const entries: ChangelogEntry[] = [];
  let version: string | null = null;
  let changes: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const head = /^[A-Za-z0-9][A-Za-z0-9+.-]* \(([^()\s]+)\)/.exec(line);
    if (head) [version, changes] = [head[1] ?? '', []];
    const end = /^ -- (.*?)(?: {2}(.*))?$/.exec(line);
    if (end && version !== null) {
      const date = Date.parse(end[2] ?? '');
      const seconds = Number.isNaN(date) ? 0 : Math.floor(date / 1000);
      entries.push({ author: end[1] ?? '', changes, date: seconds, version });
      version = null;
      if (entries.length >= limit) break;
    } else if (version !== null && /^\s+\S/.test(line) && !end) {
      changes.push(line.trim().replace(/^[*+-]\s+/, ''));
    }
  }
  return entries;
}
