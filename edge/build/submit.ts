/** `POST build`: reads the submission as it comes, spools its files, and hands it to the daemon. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { limitedBody } from '../http/body.ts';
import { boundaryOf, type PartHead, readMultipart } from '../http/multipart.ts';
import { Refusal } from '../http/problem.ts';
import { Fields, type Form, isTextPart, sourceFileOf, sourceIdOf } from './form.ts';
import { BuildForm, ErrorBody, SubmittedTask } from './schemas.ts';
import { type BuildDeps, idempotencyKey, instanceOf, onBehalf, permit, sendJson } from './scope.ts';
import { Spool, type Spooled, type SpoolFile } from './spool.ts';

/** Milliseconds that the daemon may take to put a submission on durable storage. */
export const SUBMIT_TIMEOUT = 120_000;
/** Parts of a submission beside its sources: the documented nine, and such as mean nothing. */
const OTHER_PARTS = 64;

/** What one submission may hold. */
type PartLimits = Pick<BuildDeps['settings']['edge'], 'max_text' | 'max_message' | 'max_sources'>;

/** The route below an instance. */
export function submitRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    // The body is read by the route itself, part by part.
    app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined));
    app.post(
      '/build',
      {
        onRequest: permit(deps, 'build'),
        config: { upload: () => deps.settings.edge.max_upload },
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
  const spool = new Spool(prepared.spool);
  try {
    const { form, definition, sources } = await readSubmission(
      limitedBody(request.raw, reply.raw, limit),
      boundary,
      spool,
      deps.settings.edge,
    );
    const call = { instance, ...form, definition, sources, idempotencyKey: idempotency };
    const options = { ...onBehalf(request), timeout: SUBMIT_TIMEOUT };
    // Answered, the daemon has taken the files over.
    return (await deps.control.builds.submitBuild(call, options)).task;
  } catch (error) {
    await spool.clear();
    throw error;
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
  limits: PartLimits,
): Promise<Submission> {
  const reader = new SubmissionReader(spool, limits);
  for await (const event of readMultipart(body, boundary, limits.max_sources + OTHER_PARTS)) {
    if (event.type === 'head') await reader.begin(event.head);
    else if (event.type === 'data') await reader.take(event.bytes);
    else await reader.end();
  }
  return reader.whole();
}

/** Sorts parts: text is gathered, files are spooled, the rest is passed over. */
class SubmissionReader {
  readonly #spool: Spool;
  readonly #limits: PartLimits;
  readonly #fields = new Fields();
  readonly #sources: { id: string; file: Spooled }[] = [];
  #definition: Spooled | null = null;
  #name = '';
  #text: Buffer[] = [];
  #textSize = 0;
  #file: SpoolFile | null = null;
  #source = '';

  constructor(spool: Spool, limits: PartLimits) {
    this.#spool = spool;
    this.#limits = limits;
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
      if (this.#sources.length >= this.#limits.max_sources)
        throw new Refusal(413, `there are more than ${this.#limits.max_sources} sources`);
      this.#source = id;
      this.#file = await this.#spool.create(filename);
    }
  }

  async take(bytes: Buffer): Promise<void> {
    if (this.#file) return this.#file.write(bytes);
    if (!isTextPart(this.#name)) return;
    const limit = this.#name === 'message' ? this.#limits.max_message : this.#limits.max_text;
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
