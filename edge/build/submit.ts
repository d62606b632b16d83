/** `POST build`: reads the submission as it comes, spools its files, and hands it to the daemon. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { answerLate, watchRate } from '../http/body.ts';
import { boundaryOf, type PartHead, readMultipart } from '../http/multipart.ts';
import { Refusal } from '../http/problem.ts';
import {
  Fields,
  type Form,
  isTextPart,
  MAX_MESSAGE,
  MAX_SOURCES,
  MAX_TEXT,
  sourceFileOf,
  sourceIdOf,
} from './form.ts';
import { BuildForm, ErrorBody, SubmittedTask } from './schemas.ts';
import { type BuildDeps, idempotencyKey, instanceOf, onBehalf, permit, sendJson } from './scope.ts';
import { Spool, type Spooled, type SpoolFile } from './spool.ts';

/** Milliseconds that the daemon may take to put a submission on durable storage. */
const SUBMIT_TIMEOUT = 120_000;

/** The route below an instance. */
export function submitRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    // The body is read by the route itself, part by part.
    app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined));
    app.post(
      '/build',
      {
        onRequest: permit(deps, 'build'),
        config: { upload: deps.settings.edge.max_upload },
        schema: {
          summary: 'Submits a build',
          consumes: ['multipart/form-data'],
          body: BuildForm,
          response: { 200: SubmittedTask, 403: ErrorBody, 404: ErrorBody },
        },
        // The schema is for the document: the body is not there yet when it would be validated.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => sendJson(reply, { task: await submit(deps, request, reply) }),
    );
  };
}

async function submit(deps: BuildDeps, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const idempotency = idempotencyKey(request);
  const instance = instanceOf(deps, request);
  const boundary = boundaryOf(request.headers['content-type']);
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Refusal(400, 'the body must not be compressed as a whole');
  }
  const prepared = await deps.control.where(instance, onBehalf(request).authorization);
  const limit = Math.min(deps.settings.edge.max_upload, prepared.maxUpload);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const spool = new Spool(prepared.spool);
  try {
    const { form, definition, sources } = await readSubmission(
      limited(request.raw, reply.raw, limit),
      boundary,
      spool,
    );
    const call = { instance, ...form, definition, sources, idempotencyKey: idempotency };
    const options = { ...onBehalf(request), timeout: SUBMIT_TIMEOUT };
    return (await deps.control.builds.submitBuild(call, options)).task;
  } finally {
    await spool.clear();
  }
}

interface Submission {
  readonly form: Form;
  readonly definition: Spooled;
  readonly sources: { readonly id: string; readonly file: Spooled }[];
}

async function readSubmission(
  body: AsyncIterable<Buffer>,
  boundary: string,
  spool: Spool,
): Promise<Submission> {
  const reader = new SubmissionReader(spool);
  for await (const event of readMultipart(body, boundary)) {
    if (event.type === 'head') await reader.begin(event.head);
    else if (event.type === 'data') await reader.take(event.bytes);
    else await reader.end();
  }
  return reader.whole();
}

/** The body, as long as it flows and keeps below the limit. Throws 413, or 400 when the client is gone. */
async function* limited(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): AsyncGenerator<Buffer> {
  let total = 0;
  const stop = watchRate(request, () => answerLate(request, response, 'the upload came too slowly'));
  try {
    // The stream is not destroyed by leaving it early: a refusal reads it off.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      total += (chunk as Buffer).length;
      if (total > limit) throw tooLarge(limit);
      yield chunk as Buffer;
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'the upload broke off');
  } finally {
    stop();
  }
}

function tooLarge(limit: number): Refusal {
  return new Refusal(413, `a submission may have at most ${limit} bytes`);
}

/** Sorts parts: text is gathered, files are spooled, the rest is passed over. */
class SubmissionReader {
  readonly #spool: Spool;
  readonly #fields = new Fields();
  readonly #sources: { id: string; file: Spooled }[] = [];
  #definition: Spooled | null = null;
  #name = '';
  #text: Buffer[] = [];
  #textSize = 0;
  #file: SpoolFile | null = null;
  #source = '';

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  async begin(head: PartHead): Promise<void> {
    this.#name = head.name;
    this.#source = '';
    this.#text = [];
    this.#textSize = 0;
    if (head.name === 'tarball') {
      if (this.#definition) throw new Refusal(400, 'tarball is given twice');
      this.#file = await this.#spool.create('tarball');
    } else if (head.name.startsWith('source/')) {
      const id = sourceIdOf(head.name);
      const filename = sourceFileOf(id, head.filename);
      if (this.#sources.some(source => source.id === id))
        throw new Refusal(400, `source/${id} is given twice`);
      if (this.#sources.length >= MAX_SOURCES)
        throw new Refusal(413, `there are more than ${MAX_SOURCES} sources`);
      this.#source = id;
      this.#file = await this.#spool.create(filename);
    }
  }

  async take(bytes: Buffer): Promise<void> {
    if (this.#file) return this.#file.write(bytes);
    if (!isTextPart(this.#name)) return;
    const limit = this.#name === 'message' ? MAX_MESSAGE : MAX_TEXT;
    this.#textSize += bytes.length;
    if (this.#textSize > limit) throw new Refusal(413, `${this.#name} is over ${limit} bytes`);
    this.#text.push(Buffer.from(bytes));
  }

  async end(): Promise<void> {
    if (this.#file) {
      const file = await this.#file.finish();
      this.#file = null;
      if (this.#source === '') this.#definition = file;
      else this.#sources.push({ id: this.#source, file });
    } else if (isTextPart(this.#name)) this.#fields.add(this.#name, Buffer.concat(this.#text));
  }

  whole(): Submission {
    const form = this.#fields.check();
    if (!this.#definition || this.#definition.size === 0) throw new Refusal(400, 'tarball is missing');
    return { form, definition: this.#definition, sources: this.#sources };
  }
}
