/** The page of one task: what it is, how it stands, and its log, which grows while it is looked at. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Task__Output } from '../../proto/types/rackwright/v1/Task.ts';
import { html } from '../http/page.ts';
import { speakPage } from '../http/problem.ts';
import { sendPage, time } from './frame.ts';
import { scan } from './journal.ts';
import { toText } from './journal-text.ts';
import { type BuildDeps, baseOf, instanceOf, onBehalf, permit } from './scope.ts';
import { getTask, resultOf, stateOf } from './task-json.ts';

/** Characters of a stored log that the page shows; the text link has all of it. */
const MAX_SHOWN = 512 * 1024;

/** The page below an instance. */
export function watchPages(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    app.get(
      '/watch/:task.html',
      { onRequest: permit(deps, 'view-task'), config: { speak: speakPage }, schema: { hide: true } },
      (request, reply) => taskPage(deps, request, reply),
    );
  };
}

async function taskPage(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const base = baseOf(deps, instanceOf(deps, request));
  const task = await getTask(deps, request);
  const stored = await storedLog(deps, request, task);
  const live = stateOf(task) !== 'finished';
  const shown = live ? stateOf(task) : resultOf(task);
  const follow = live && html` data-follow="${base}watch/${task.id}.ndjson?offset=${stored.offset}"`;
  const main = html`${facts(task, shown)}
<h2>Log</h2>
<p><a href="${base}watch/${task.id}.txt">As text</a> · <a href="${base}watch/${task.id}.journal">Journal</a></p>
${stored.cut && html`<p>Only the end is shown.</p>`}
<pre id="log" tabindex="0" role="log" aria-label="Log"${follow || null}>${stored.text}</pre>`;
  const title = task.build ? `${task.build.artifact} for ${task.build.distribution}` : task.name;
  const crumbs = [{ text: 'tasks', href: `${base}tasks/` }, { text: task.id }];
  return sendPage(reply, deps.frame, { title, base, crumbs, main, live });
}

function facts(task: Task__Output, shown: string) {
  const { build } = task;
  const rows: [string, string][] = [
    ['Kind', task.name],
    ['By', task.user],
    ...(build
      ? ([
          ['Format', build.format],
          ['Derivative', build.derivative],
          ['Architectures', build.architectures.join(', ')],
          ['Version', build.version],
          ['Message', build.message],
        ] as [string, string][])
      : []),
    ['Remark', task.reason],
  ];
  return html`<dl><dt>State</dt><dd><span id="state" class="state ${shown}">${shown}</span></dd>
${rows.filter(([, value]) => value !== '').map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}
<dt>Submitted</dt><dd>${time(task.submission)}</dd>
<dt>Started</dt><dd>${time(task.started)}</dd><dt>Ended</dt><dd>${time(task.ended)}</dd></dl>`;
}

/** The log as far as it is written, and the journal's offset at which it goes on. */
async function storedLog(
  deps: BuildDeps,
  request: FastifyRequest,
  task: Task__Output,
): Promise<{ text: string; offset: number; cut: boolean }> {
  const call = { instance: instanceOf(deps, request), task: task.id, storedOnly: true };
  let offset = 0;
  async function* frames(): AsyncGenerator<Buffer> {
    for await (const answer of deps.control.consoles.follow(call, onBehalf(request))) {
      offset += scan(answer.frames).journal;
      yield answer.frames;
    }
  }
  let text = '';
  let cut = false;
  for await (const piece of toText(frames())) {
    text += piece;
    if (text.length <= 2 * MAX_SHOWN) continue;
    text = text.slice(-MAX_SHOWN);
    cut = true;
  }
  return { text, offset, cut };
}
