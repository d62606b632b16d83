/**
 * A replica of how the existing command line `fatbuildrctl` 2.1 uses HTTP, written from the specification: what it sends,
 * what it indexes, and where it would crash.
 */
import { randomBytes } from 'node:crypto';
import { FrameReader } from '../../proto/frame.ts';
import { multipart, type RawPart } from './edge-home.ts';

/** Where the real client would end with a traceback. */
export class ClientCrash extends Error {}

/** What it prints and exits with: the text of `error` in a 403 or 404, a fixed line for 500. */
export class ClientError extends Error {}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  'artifact build': [
    'format',
    'distribution',
    'derivative',
    'architectures',
    'artifact',
    'archives',
    'author',
    'email',
    'message',
  ],
  'artifact deletion': ['format', 'distribution', 'derivative', 'artifact'],
  'keyring creation': [],
  'keyring renewal': ['duration'],
  'history purge': [],
  'image creation': ['format', 'force'],
  'image update': ['format'],
  'image shell': ['format', 'term', 'command'],
  'image build environment creation': ['format', 'environment', 'architecture'],
  'image build environment update': ['format', 'environment', 'architecture'],
  'image build environment shell': ['format', 'environment', 'architecture', 'term', 'command'],
};

export interface ClientTask {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly result: string;
  readonly [key: string]: unknown;
}

/** One client, with a token or without. */
export class FatbuildrClient {
  readonly #uri: string;
  readonly #token: string | null;

  /** `uri` as the user typed it: an instance's address, often with a slash at its end. */
  constructor(uri: string, token: string | null) {
    this.#uri = uri;
    this.#token = token;
  }

  /** The pipelines' architectures. */
  async architectures(): Promise<string[]> {
    return (await this.#json('pipelines/architectures.json')) as string[];
  }

  /** It takes the first key of the filtered answer. */
  async formatOf(distribution: string): Promise<string> {
    const formats = (await this.#json(`pipelines/formats.json?distribution=${distribution}`)) as object;
    const [first] = Object.keys(formats);
    if (first === undefined) throw new ClientCrash('IndexError: list index out of range');
    return first;
  }

  /** It indexes the answer by the format. */
  async distributionsOf(format: string): Promise<string[]> {
    const formats = (await this.#json(`pipelines/formats.json?format=${format}`)) as Record<
      string,
      { distribution: string }[]
    >;
    const items = formats[format];
    if (!items) throw new ClientCrash(`KeyError: ${format}`);
    return items.map(item => item.distribution);
  }

  /** Submits with the library's random boundary, parts without a content type, and a content length. */
  async build(parts: readonly RawPart[]): Promise<string> {
    const boundary = randomBytes(16).toString('hex');
    const body = multipart(parts, boundary);
    const answer = await this.#send('build', {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(body.length),
      },
      body: new Uint8Array(body),
    });
    return (answer as { task: string }).task;
  }

  /** `list`: both calls, every key of every task read. */
  async list(): Promise<{ running: ClientTask | null; pending: ClientTask[] }> {
    const running = await this.#json('running.json');
    const pending = (await this.#json('queue.json')) as unknown[];
    return { running: running === null ? null : readTask(running), pending: pending.map(readTask) };
  }

  /** `watch`: polls once a second while pending, then reads the journal until its end words. */
  async watch(id: string, every = 1000): Promise<{ log: string[]; output: string; end: string }> {
    let task = await this.task(id);
    while (task.state === 'pending') {
      await new Promise(resolve => setTimeout(resolve, every));
      task = await this.task(id);
    }
    const answer = await fetch(this.#url(`watch/${id}.journal`), { headers: this.#headers() });
    if (answer.status !== 200 || !answer.body) throw new ClientError(`journal: ${answer.status}`);
    const reader = new FrameReader();
    const log: string[] = [];
    let output = '';
    for await (const chunk of answer.body) {
      for (const frame of reader.push(chunk)) {
        if (frame.command === 1) output += frame.payload.toString('latin1');
        if (frame.command !== 0) continue;
        const text = frame.payload.toString('utf8');
        const at = text.indexOf(':');
        if (at < 0 || !/^(10|20|30|40|50)$/.test(text.slice(0, at)))
          throw new ClientCrash(`ValueError: ${text}`);
        log.push(text.slice(at + 1));
        if (/^Task (succeeded|failed)/.test(text.slice(at + 1)))
          return { log, output, end: text.slice(at + 1) };
      }
    }
    throw new ClientCrash('the stream ended without its end words');
  }

  async task(id: string): Promise<ClientTask> {
    const task = await this.#json(`tasks/${id}.json`);
    if (task === null) throw new ClientCrash("TypeError: 'NoneType' object is not subscriptable");
    return readTask(task);
  }

  async artifacts(distribution: string, derivative: string): Promise<Record<string, unknown>[]> {
    const format = await this.formatOf(distribution);
    const found = await this.#json(`registry/${format}/${distribution}/${derivative}.json`);
    return found as Record<string, unknown>[];
  }

  /** Its own bug: the placeholders go out as they stand in its source. */
  async deleteAsItDoes(format: string, distribution: string, derivative: string): Promise<unknown> {
    const path = `registry/${format}/${distribution}/${derivative}/{artifact.architecture}/{artifact.name}.json?version={artifact.version}`;
    return this.#send(encodeURI(path), { method: 'DELETE' });
  }

  #json(path: string): Promise<unknown> {
    return this.#send(path, {});
  }

  #url(path: string): string {
    return `${this.#uri}/${path}`;
  }

  #headers(): Record<string, string> {
    return this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
  }

  /** 403 and 404 are read as JSON and print their `error`, 500 prints a line, all else is taken for a success. */
  async #send(path: string, init: RequestInit): Promise<unknown> {
    const answer = await fetch(this.#url(path), {
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...this.#headers() },
    });
    const text = await answer.text();
    if (answer.status === 500) throw new ClientError('server error');
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new ClientError(`not JSON: ${answer.status}`);
    }
    if (answer.status === 403 || answer.status === 404) {
      const { error } = body as { error?: unknown };
      if (typeof error !== 'string') throw new ClientCrash("KeyError: 'error'");
      throw new ClientError(error);
    }
    if (answer.status !== 200) throw new ClientCrash(`took a ${answer.status} for a success`);
    return body;
  }
}

/** Reads a task as the client does: eight keys, then those of its kind, none of them null. */
function readTask(value: unknown): ClientTask {
  const task = value as Record<string, unknown>;
  const kind = KINDS[String(task.name)];
  if (!kind) throw new ClientCrash(`no class for task ${String(task.name)}`);
  for (const key of ['id', 'name', 'user', 'state', 'result', 'submission', 'place', 'io', ...kind]) {
    if (task[key] === undefined || task[key] === null)
      throw new ClientCrash(`${key} is missing in ${JSON.stringify(task)}`);
  }
  const io = task.io as { console?: unknown; interactive?: unknown; journal?: { path?: unknown } };
  if (
    typeof io.console !== 'string' ||
    typeof io.interactive !== 'boolean' ||
    typeof io.journal?.path !== 'string'
  ) {
    throw new ClientCrash(`io is not whole: ${JSON.stringify(io)}`);
  }
  if (task.name === 'artifact build') {
    for (const archive of task.archives as object[]) {
      const keys = Object.keys(archive).sort().join();
      if (keys !== 'id,path') throw new ClientCrash(`unexpected keyword argument in archive ${keys}`);
    }
  }
  return task as unknown as ClientTask;
}
