/** Pages of published artifacts: those of a derivative, and one whole. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { present } from '../control/control.ts';
import { type Html, html } from '../http/page.ts';
import { describeArtifact } from './artifacts.ts';
import { bytes, type Crumb, sendPage, table, time } from './frame.ts';
import { type BuildDeps, baseOf, instanceOf, onBehalf, placeOf, queryOf } from './scope.ts';

/** Artifacts on a page. */
const PAGE = 100;

/** The artifacts of a derivative, filtered by a part of the name. */
export async function artifactsPage(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const base = baseOf(deps, instanceOf(deps, request));
  const place = placeOf(deps, request);
  const contains = queryOf(request, 'contains') ?? '';
  const call = { place, contains, limit: PAGE, after: queryOf(request, 'after') ?? '' };
  const rows: (string | Html)[][] = [];
  let next = '';
  for await (const answer of deps.control.registries.listArtifacts(call, onBehalf(request))) {
    next = answer.next;
    for (const { architecture, name, version, size } of answer.artifacts) {
      const href = `${encodeURIComponent(architecture)}/${encodeURIComponent(name)}/?version=${encodeURIComponent(version)}`;
      rows.push([html`<a href="${href}">${name}</a>`, version, architecture, bytes(size)]);
    }
  }
  const more =
    next !== '' &&
    html`<p><a href="?contains=${encodeURIComponent(contains)}&amp;after=${encodeURIComponent(next)}">More</a></p>`;
  const crumbs = crumbsOf(base, [place.format, place.distribution, place.derivative]);
  const main = html`<form role="search"><label>Name contains <input name="contains" value="${contains}"></label>
<button>Filter</button></form>
${table('Artifacts', ['Name', 'Version', 'Architecture', '#Size'], rows, 'Nothing is published here.')}${more || null}
${place.format === 'deb' && sources(request, base, place)}`;
  const title = `${place.distribution} / ${place.derivative}`;
  return sendPage(reply, deps.frame, { title, base, crumbs, main });
}

/** What to write into a client's settings. */
function sources(
  request: FastifyRequest,
  base: string,
  place: { distribution: string; derivative: string },
): Html {
  const uri = `${request.protocol}://${request.host}${base}deb`;
  return html`<h2>For apt</h2>
<pre tabindex="0">Types: deb deb-src
URIs: ${uri}
Suites: ${place.distribution}
Components: ${place.derivative}
Signed-By: /etc/apt/keyrings/rackwright.asc</pre>
<p>The key is <a href="${base}keyring.asc">keyring.asc</a>.</p>`;
}

/** One artifact: origin, changelog, files. */
export async function artifactPage(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const base = baseOf(deps, instanceOf(deps, request));
  const place = placeOf(deps, request);
  const { artifact, source, binaries, changelog, content } = await describeArtifact(deps, request);
  const { name, version, architecture, size } = present(artifact, 'artifact');
  const way = [place.format, place.distribution, place.derivative];
  const link = (to: { architecture: string; name: string; version: string }): Html => {
    const path = [...way, to.architecture, to.name].map(encodeURIComponent).join('/');
    return html`<a href="${base}registry/${path}/?version=${encodeURIComponent(to.version)}">${to.name} ${to.version} (${to.architecture})</a>`;
  };
  const entries = changelog.map(
    entry => html`<h3>${entry.version}</h3><p>${entry.author} · ${time(entry.date)}</p>
<ul>${entry.changes.map(change => html`<li>${change}</li>`)}</ul>`,
  );
  const files = content.map(file => [file.path, file.type, file.type === 'f' ? bytes(file.size) : '']);
  const main = html`<dl><dt>Version</dt><dd>${version}</dd><dt>Architecture</dt><dd>${architecture}</dd>
<dt>Size</dt><dd>${bytes(size)}</dd>
${architecture !== 'src' && source ? html`<dt>Source</dt><dd>${link(source)}</dd>` : null}
${binaries.map(binary => html`<dt>Binary</dt><dd>${link(binary)}</dd>`)}</dl>
<h2>Changelog</h2>${entries.length > 0 ? entries : html`<p class="empty">None.</p>`}
<h2>Files</h2>${table('Content', ['Path', 'Type', '#Size'], files, 'None listed.')}`;
  return sendPage(reply, deps.frame, { title: name, base, crumbs: crumbsOf(base, way), main });
}

function crumbsOf(base: string, way: readonly string[]): Crumb[] {
  const crumbs: Crumb[] = [{ text: 'registry', href: `${base}registry/` }];
  for (const step of way)
    crumbs.push({ text: step, href: `${crumbs.at(-1)?.href}${encodeURIComponent(step)}/` });
  return crumbs;
}
