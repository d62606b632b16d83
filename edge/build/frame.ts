/** The frame of the build service's pages: head, navigation, search; a site may put its own in place. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { errorCode } from '../../proto/fault.ts';
import { escapeHtml, type Html, html, PAGE_HEADERS } from '../http/page.ts';

/** One step of the way to a page; the last has no address. */
export interface Crumb {
  readonly text: string;
  readonly href?: string;
}

export interface PageContent {
  readonly title: string;
  /** Address below which the instance's pages lie, `/` or `/{instance}/`; null on the page of instances. */
  readonly base: string | null;
  readonly crumbs: readonly Crumb[];
  readonly main: Html;
  /** Follow the log on this page. */
  readonly live?: boolean;
}

export type Frame = (content: PageContent) => string;

/** Our frame, or the first `page.html` of the folders, in which `{{ title }}` and `{{ main }}` are filled in. */
export function loadFrame(folders: readonly (string | null)[]): Frame {
  for (const folder of folders) {
    const template = folder === null ? null : readTemplate(join(folder, 'page.html'));
    if (template !== null) return content => fill(template, content);
  }
  return content => ownFrame(content).text;
}

function readTemplate(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function fill(template: string, content: PageContent): string {
  const values: Readonly<Record<string, string>> = {
    title: escapeHtml(content.title),
    main: mainOf(content).text,
  };
  return template.replace(/\{\{ *(title|main) *\}\}/g, (_whole, name: string) => values[name] ?? '');
}

function mainOf({ title, crumbs, main }: PageContent): Html {
  const way = crumbs.map(({ text, href }) =>
    href === undefined
      ? html`<li aria-current="page">${text}</li>`
      : html`<li><a href="${href}">${text}</a></li>`,
  );
  return html`${crumbs.length > 0 && html`<nav aria-label="Way"><ol class="crumbs">${way}</ol></nav>`}
<h1>${title}</h1>
${main}`;
}

function ownFrame(content: PageContent): Html {
  const { title, base, live } = content;
  const tools =
    base === null
      ? null
      : html`<nav aria-label="Instance"><a href="${base}registry/">Registry</a><a href="${base}tasks/">Tasks</a></nav>
<form action="${base}search" role="search"><label>Artifact <input type="search" name="artifact" required></label>
<button>Search</button></form>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Rackwright</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/rackwright.css">
${live === true && html`<noscript><meta http-equiv="refresh" content="10"></noscript>`}
${live !== undefined && html`<script src="/static/watch.js" type="module"></script>`}
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header><strong><a href="/">Rackwright</a></strong>${tools}</header>
<main id="main">
${mainOf(content)}
</main>
</body>
</html>
`;
}

/** Sends a page with the headers of all pages. */
export function sendPage(reply: FastifyReply, frame: Frame, content: PageContent): FastifyReply {
  return reply.headers(PAGE_HEADERS).send(frame(content));
}

/** A table, or a sentence where there is nothing. Columns named with a leading `#` hold numbers. */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number | Html)[])[],
  none: string,
): Html {
  if (rows.length === 0) return html`<p class="empty">${none}</p>`;
  const numeric = columns.map(name => name.startsWith('#'));
  const number = html` class="number"`;
  const kind = (index: number): Html | false => numeric[index] === true && number;
  const head = columns.map(
    (name, index) => html`<th scope="col"${kind(index)}>${name.replace('#', '')}</th>`,
  );
  const body = rows.map(
    row => html`<tr>${row.map((cell, index) => html`<td${kind(index)}>${cell}</td>`)}</tr>\n`,
  );
  return html`<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>
${body}</tbody></table>`;
}

/** `2026-01-01 01:00 UTC`; a dash for 0. */
export function time(seconds: number): Html {
  if (seconds <= 0) return html`–`;
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** Bytes as people read them. */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(size) / 10), units.length);
  return `${(size / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}
