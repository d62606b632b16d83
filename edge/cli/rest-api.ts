/** The verbs' questions over HTTP: the documented REST, and Rackwright's additions where it has none. */

import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { FormData } from 'undici';
import { Fault } from '../../proto/fault.ts';
import { COMMAND, type Frame, FrameReader, HEADER_SIZE } from '../../proto/frame.ts';
import type { Api, Formats, Place, Submission, Task } from './api.ts';
import type { RestClient, RestRequest } from './rest-client.ts';
import { placePath, restStates } from './rest-states.ts';

/** Times that a submission is sent; it carries a key, so a repetition makes no second task. */
const SUBMISSIONS = 3;
const RETRY_PAUSE = 500;

/** A server over HTTP. */
export function restApi(client: RestClient, uri: string): Api {
  const submit = (path: string, json: object = {}, more: RestRequest = {}): Promise<string> =>
    client.json<{ task: string }>(path, { method: 'POST', json, ...more }).then(answer => answer.task);
  const artifact = (place: Place, architecture: string, name: string): string =>
    `${placePath(place)}/${encodeURIComponent(architecture)}/${encodeURIComponent(name)}.json`;
  return {
    uri,
    formats: distribution =>
      client.json<Formats>(
        '/pipelines/formats.json',
        distribution === undefined ? {} : { query: { distribution } },
      ),
    architectures: () => client.json('/pipelines/architectures.json'),
    submitBuild: submission => sendBuild(client, submission),

    running: () => runningTasks(client),
    pending: () => client.json('/queue.json'),
    history: limit => client.json('/history.json', { query: { limit: String(limit) } }),
    task: id => client.json<Task>(`/tasks/${encodeURIComponent(id)}.json`),
    async cancelTask(id) {
      await client.ask(`/tasks/${encodeURIComponent(id)}/cancel`, { method: 'POST', json: {} });
    },
    retryTask: id => submit(`/tasks/${encodeURIComponent(id)}/retry`),
    purgeHistory: policy => submit('/history/purge', policy === undefined ? {} : { policy }),
    frames: (id, offset, signal) => readJournal(client, id, offset, signal),

    registryFormats: () => client.json('/registry.json'),
    distributions: format => client.json(`/registry/${encodeURIComponent(format)}.json`),
    artifacts: place => client.json(`${placePath(place)}.json`),
    describe: (place, architecture, name) => client.json(artifact(place, architecture, name)),
    search: text => client.json('/search.json', { query: { artifact: text } }),
    deleteArtifact: (place, { architecture, name, version }) =>
      client
        .json<{ task: string }>(artifact(place, architecture, name), { method: 'DELETE', query: { version } })
        .then(answer => answer.task),
    states: restStates(client),

    keyring: () => client.json('/keyring.json'),
    exportKeyring: () => client.ask('/keyring.asc').then(answer => answer.text()),
    createKeyring: () => submit('/keyring/create'),
    renewKeyring: duration => submit('/keyring/renew', { duration }),

    images: () => client.json('/images.json'),
    createImage: ({ format, environment, architecture }, force) =>
      environment === undefined
        ? submit(`/images/${encodeURIComponent(format)}/create`, { force })
        : submit(`${environmentPath(format, environment, architecture ?? '')}/create`),
    updateImage: ({ format, environment, architecture }) =>
      environment === undefined
        ? submit(`/images/${encodeURIComponent(format)}/update`)
        : submit(`${environmentPath(format, environment, architecture ?? '')}/update`),

    issuedTokens: () => client.json('/tokens.json'),
    issueToken: (subject, days) =>
      client
        .json<{ token: string }>('/tokens', {
          method: 'POST',
          json: { ...(subject === '' ? {} : { subject }), ...(days === 0 ? {} : { days }) },
        })
        .then(answer => answer.token),
    async revokeToken(jti) {
      await client.ask(`/tokens/${encodeURIComponent(jti)}`, { method: 'DELETE' });
    },

    consoles: null,
    close: () => client.close(),
  };
}

function environmentPath(format: string, environment: string, architecture: string): string {
  const [f, e, a] = [format, environment, architecture].map(encodeURIComponent);
  return `/images/${f}/environments/${e}/${a}`;
}

/** Running tasks; a server without lists of ours names the one that was started first. */
async function runningTasks(client: RestClient): Promise<readonly Task[]> {
  try {
    return await client.json<Task[]>('/tasks.json', { query: { state: 'running' } });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
    const task = await client.json<Task | null>('/running.json');
    return task === null ? [] : [task];
  }
}

async function sendBuild(client: RestClient, submission: Submission): Promise<string> {
  const idempotencyKey = randomUUID();
  for (let attempt = 1; ; attempt++) {
    // Files are read while they are sent; a form serves one attempt only.
    const body = await buildForm(submission);
    try {
      const answer = await client.json<{ task: string }>('/build', { method: 'POST', body, idempotencyKey });
      return answer.task;
    } catch (error) {
      const cut = error instanceof Fault && error.reason === 'unreachable';
      if (!cut || attempt === SUBMISSIONS) throw error;
      await new Promise(done => setTimeout(done, RETRY_PAUSE));
    }
  }
}

/** The form, its parts in the order in which the existing client sends them. */
async function buildForm(submission: Submission): Promise<FormData> {
  const form = new FormData();
  form.set('format', submission.format);
  form.set('distribution', submission.distribution);
  form.set('architectures', submission.architectures.join(','));
  form.set('derivative', submission.derivative);
  form.set('artifact', submission.artifact);
  form.set('user_name', submission.author);
  form.set('user_email', submission.email);
  form.set('message', submission.message);
  form.set('tarball', await openAsBlob(submission.definition.path), submission.definition.filename);
  for (const { id, path, filename } of submission.sources) {
    form.set(`source/${id}`, await openAsBlob(path), filename);
  }
  return form;
}

/**
 * A journal's frames from an offset on; none where it ends before. A server that knows no offsets, and therefore does
 * not say that it kept ours, begins at the start: there what is known is passed over.
 */
async function* readJournal(
  client: RestClient,
  id: string,
  offset: number,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const answer = await askFrom(client, `/watch/${encodeURIComponent(id)}.journal`, offset, signal);
  if (!answer?.body) return;
  const reader = new FrameReader();
  let at = Number(answer.headers.get('rackwright-offset') ?? 0);
  try {
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      for (const frame of reader.push(chunk)) {
        const size = HEADER_SIZE + frame.payload.length;
        if (frame.command === COMMAND.heartbeat) yield frame;
        else if (at >= offset) yield frame;
        if (frame.command !== COMMAND.heartbeat) at += size;
      }
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new Fault('invalid', 'bad-input', `the journal is damaged: ${error.message}`);
    throw new Fault('unavailable', 'unreachable', 'the stream was cut', {}, { cause: error });
  }
}

/** The answer of a journal's route; null when the journal ends at or before the offset. */
async function askFrom(client: RestClient, path: string, offset: number, signal: AbortSignal) {
  try {
    return await client.ask(path, { signal, ...(offset > 0 ? { query: { offset: String(offset) } } : {}) });
  } catch (error) {
    if (offset > 0 && error instanceof Fault && error.details.status === 416) return null;
    throw error;
  }
}
