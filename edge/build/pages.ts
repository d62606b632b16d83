/** Reading pages: instances, the registry, search, tasks. */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { present } from '../control/control.ts';
import { type Html, html } from '../http/page.ts';
import { speakPage } from '../http/problem.ts';
import { type Crumb, sendPage, table, time } from './frame.ts';
import { artifactPage, artifactsPage } from './registry-pages.ts';
import {
  type BuildDeps,
  baseOf,
  instanceOf,
  namedOf,
  onBehalf,
  permit,
  queryOf,
  soleInstance,
} from './scope.ts';
import { listTasks, resultOf, stateOf } from './task-json.ts';

const HIDDEN = { config: { speak: speakPage }, schema: { hide: true } } as const;
/** Tasks shown of each kind. */
const SHOWN = 20;
/** Search hits shown. */
const MAX_HITS = 500;

/** Pages without an instance in their path. */
export function rootPages(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    if (soleInstance(deps.settings) !== null) {
      app.get('/', HIDDEN, (_request, reply) => reply.redirect('/registry/', 302));
      return;
    }
    app.get('/', HIDDEN, async (request, reply) => {
      const { instances } = await deps.control.instances.listInstances({}, onBehalf(request));
      const rows = instances.map(({ id, name, userid }) => [
        html`<a href="/${encodeURIComponent(id)}/registry/">${id}</a>`,
        name,
        userid,
      ]);
      const main = table('Instances', ['Id', 'Name', 'Signing key'], rows, 'There is no instance yet.');
      return sendPage(reply, deps.frame, { title: 'Instances', base: null, crumbs: [], main });
    });
  };
}

/** Pages below an instance. */
export function instancePages(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    const view = { ...HIDDEN, onRequest: permit(deps, 'view-registry') };
    const registry = (request: FastifyRequest, reply: FastifyReply) => registryPage(deps, request, reply);
    if (soleInstance(deps.settings) === null) app.get('/', view, registry);
    app.get('/registry/', view, registry);
    listPages(deps, app);
    app.get('/registry/:format/:distribution/:derivative/', view, (request, reply) =>
      artifactsPage(deps, request, reply),
    );
    app.get('/registry/:format/:distribution/:derivative/:architecture/:artifact/', view, (request, reply) =>
      artifactPage(deps, request, reply),
    );
    app.get('/search', view, (request, reply) => searchPage(deps, request, reply));
    app.get('/tasks/', { ...HIDDEN, onRequest: permit(deps, 'view-task') }, (request, reply) =>
      tasksPage(deps, request, reply),
    );
  };
}

async function registryPage(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const instance = instanceOf(deps, request);
  const options = onBehalf(request);
  const base = baseOf(deps, instance);
  const answer = await deps.control.instances.getInstance({ instance }, options);
  const { formats } = await deps.control.registries.listFormats({ instance }, options);
  const rows: Html[][] = [];
  for (const format of formats) {
    const { distributions } = await deps.control.registries.listDistributions({ instance, format }, options);
    rows.push([
      html`<a href="${base}registry/${format}/">${format}</a>`,
      html`${distributions.map(name => html`<a href="${base}registry/${format}/${name}/">${name}</a> `)}`,
      html`<a href="${base}${format}/">files</a>`,
    ]);
  }
  const main = html`${table('What is published', ['Format', 'Distributions', 'Files'], rows, 'Nothing is published yet.')}
<h2>Signing key</h2>
<p>${answer.instance?.userid ?? ''} · <a href="${base}keyring.asc">keyring.asc</a></p>`;
  return sendPage(reply, deps.frame, { title: answer.instance?.name ?? instance, base, crumbs: [], main });
}

function listPages(deps: BuildDeps, app: FastifyInstance): void {
  const view = { ...HIDDEN, onRequest: permit(deps, 'view-registry') };
  app.get('/registry/:format/', view, async (request, reply) => {
    const instance = instanceOf(deps, request);
    const format = namedOf(request, 'format');
    const { distributions } = await deps.control.registries.listDistributions(
      { instance, format },
      onBehalf(request),
    );
    return linksPage(deps, request, reply, [format], distributions, 'Distributions');
  });
  app.get('/registry/:format/:distribution/', view, async (request, reply) => {
    const instance = instanceOf(deps, request);
    const [format, distribution] = [namedOf(request, 'format'), namedOf(request, 'distribution')];
    const call = { instance, format, distribution };
    const { derivatives } = await deps.control.registries.listDerivatives(call, onBehalf(request));
    return linksPage(deps, request, reply, [format, distribution], derivatives, 'Derivatives');
  });
}

/** A level of the registry that only leads further. */
function linksPage(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  way: readonly string[],
  names: readonly string[],
  caption: string,
): FastifyReply {
  const base = baseOf(deps, instanceOf(deps, request));
  const here = way.reduce((at, step) => `${at}${encodeURIComponent(step)}/`, `${base}registry/`);
  const crumbs: Crumb[] = [{ text: 'registry', href: `${base}registry/` }];
  for (const step of way)
    crumbs.push({ text: step, href: `${crumbs.at(-1)?.href}${encodeURIComponent(step)}/` });
  const rows = names.map(name => [html`<a href="${here}${encodeURIComponent(name)}/">${name}</a>`]);
  const main = table(caption, ['Name'], rows, 'Nothing is published here.');
  return sendPage(reply, deps.frame, { title: way.join(' / '), base, crumbs, main });
}

async function searchPage(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const instance = instanceOf(deps, request);
  const base = baseOf(deps, instance);
  const contains = queryOf(request, 'artifact') ?? '';
  const rows: (string | Html)[][] = [];
  if (contains !== '') {
    const call = { instance, contains, limit: MAX_HITS };
    for await (const { matches } of deps.control.registries.searchArtifacts(call, onBehalf(request))) {
      for (const match of matches) {
        const { format, distribution, derivative } = present(match.place, 'place');
        const { architecture, name, version } = present(match.artifact, 'artifact');
        const way = [format, distribution, derivative, architecture, name].map(encodeURIComponent).join('/');
        const link = html`<a href="${base}registry/${way}/?version=${encodeURIComponent(version)}">${name}</a>`;
        rows.push([link, version, architecture, `${format} / ${distribution} / ${derivative}`]);
      }
    }
  }
  const none = contains === '' ? 'Type a part of a name.' : 'No artifact has a name with this in it.';
  const main = table(
    `Names containing “${contains}”`,
    ['Name', 'Version', 'Architecture', 'Where'],
    rows,
    none,
  );
  return sendPage(reply, deps.frame, { title: 'Search', base, crumbs: [], main });
}

async function tasksPage(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const base = baseOf(deps, instanceOf(deps, request));
  const section = async (title: string, state: string): Promise<Html> => {
    const { tasks } = await listTasks(deps, request, { states: [state], limit: SHOWN });
    const rows = tasks.map(task => {
      const shown = stateOf(task) === 'finished' ? resultOf(task) : stateOf(task);
      return [
        html`<a href="${base}watch/${task.id}.html">${task.build?.artifact ?? task.deletion?.artifact?.name ?? task.name}</a>`,
        task.name,
        html`<span class="state ${shown}">${shown}</span>`,
        task.user,
        time(task.submission),
        task.reason,
      ];
    });
    const columns = ['Task', 'Kind', 'State', 'By', 'Submitted', 'Remark'];
    return html`<h2>${title}</h2>${table(title, columns, rows, 'None.')}`;
  };
  const main = html`${await section('Running', 'TASK_STATE_RUNNING')}
${await section('Waiting', 'TASK_STATE_PENDING')}
${await section('Finished', 'TASK_STATE_FINISHED')}`;
  return sendPage(reply, deps.frame, { title: 'Tasks', base, crumbs: [], main });
}
