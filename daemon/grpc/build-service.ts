/** Submission of builds over gRPC: files come by the shared spool, or with the call. */
import { createHash, type Hash } from 'node:crypto';
import { Fault } from '../../proto/fault.ts';
import type { CallContext, Handlers } from '../../proto/services.ts';
import type { SubmitBuildRequest__Output } from '../../proto/types/rackwright/v1/SubmitBuildRequest.ts';
import type { UploadBuildRequest__Output } from '../../proto/types/rackwright/v1/UploadBuildRequest.ts';
import { checkBuild, checkSourceCount, type PartLimits } from '../core/submission.ts';
import type { Task } from '../core/task.ts';
import type { MovedFile, Once } from '../core/world.ts';
import { callerOf } from './caller.ts';
import type { Instances } from './instance-service.ts';
import { type Submitter, submitOnce } from './submit.ts';

/** Where uploads wait until a task owns them. */
export interface Spool {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Absolute path of a spooled file. Throws `invalid` for a name that is none. */
  path(name: string): string;
  /** A fresh file to write an upload to. */
  create(): Promise<SpoolWriter>;
  /** Removes files that no task took over. */
  discard(names: readonly string[]): Promise<void>;
}

interface SpoolWriter {
  readonly name: string;
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

export interface BuildServiceDeps {
  readonly instances: Instances;
  readonly submitter: Submitter;
  readonly spool: Spool;
  /** Bytes of one submission's files, in all. */
  readonly maxUpload: () => number;
  readonly limits: () => PartLimits;
}

type Wish = SubmitBuildRequest__Output;
type SpooledFile = NonNullable<Wish['definition']>;

export function buildService(deps: BuildServiceDeps): Handlers<'BuildService'> {
  return {
    prepareBuild: async () => ({ spool: deps.spool.folder, maxUpload: deps.maxUpload() }),
    submitBuild: async (request, call) => {
      try {
        return { task: (await submit(deps, request, call)).id };
      } catch (error) {
        await deps.spool.discard(filesOf(request).map(file => file.spool));
        throw error;
      }
    },
    uploadBuild: async (requests, call) => {
      const spooled: string[] = [];
      try {
        const request = await receive(deps, requests, spooled);
        return { task: (await submit(deps, request, call)).id };
      } catch (error) {
        await deps.spool.discard(spooled);
        throw error;
      }
    },
  };
}

/** All files of a submission, definition first. */
function filesOf({ definition, sources }: Wish): SpooledFile[] {
  return [definition, ...sources.map(source => source.file)].filter(file => file !== null);
}

async function submit(deps: BuildServiceDeps, request: Wish, call: CallContext): Promise<Pick<Task, 'id'>> {
  const { submitter, spool, instances } = deps;
  const caller = callerOf(call);
  if (request.interactive && caller.door !== 'control') {
    throw new Fault('forbidden', 'no-permission', 'interactive builds are for the local control socket only');
  }
  checkPriority(request.priority);
  const { definition } = request;
  if (!definition) throw new Fault('invalid', 'bad-input', 'the definition is missing');
  const sources = request.sources.map(({ id, file }) => {
    if (!file) throw new Fault('invalid', 'bad-input', `the file of source "${id}" is missing`);
    return { id, filename: file.filename, file };
  });
  const checked = checkBuild(instances.get(request.instance), { ...request, sources }, deps.limits());
  checkSizes(filesOf(request), deps.maxUpload());
  const { interactive, priority } = request;
  const once = onceOf(request);
  const task = await submitOnce(submitter, request.instance, caller, once, id => {
    const { place } = submitter.paths(request.instance, id);
    const moved: MovedFile[] = [{ from: spool.path(definition.spool), to: `${place}/definition.archive` }];
    const taken = sources.map(({ id: source, filename, file }, at) => {
      const path = `${place}/source-${at}`;
      moved.push({ from: spool.path(file.spool), to: path });
      return { id: source, filename, path };
    });
    const spec = { ...checked, definition: `${place}/definition.archive`, sources: taken };
    return { submission: { spec, interactive, priority }, files: moved };
  });
  // Under a known key nothing may have been taken over.
  if (once !== null) await spool.discard(filesOf(request).map(file => file.spool));
  return task;
}

/** Throws `invalid` for what is no priority. */
export function checkPriority(priority: number): void {
  if (priority < -100 || priority > 100) throw new Fault('invalid', 'bad-input', 'priority is -100 to 100');
}

/** What makes two submissions the same: all but where their files are spooled. */
function onceOf(request: Wish): Once | null {
  if (request.idempotencyKey === '') return null;
  const { idempotencyKey: key, definition, sources, ...rest } = request;
  const content = (file: SpooledFile | null) => [file?.filename, file?.size, file?.sha256];
  const said = [rest, content(definition), ...sources.map(({ id, file }) => [id, ...content(file)])];
  return { key, digest: createHash('sha256').update(JSON.stringify(said)).digest('hex') };
}

/** Writes the files that come with a call to the spool. `spooled` names them as they appear, for whoever tidies up. */
async function receive(
  deps: BuildServiceDeps,
  requests: AsyncIterable<UploadBuildRequest__Output>,
  spooled: string[],
): Promise<Wish> {
  const parts = requests[Symbol.asyncIterator]();
  const next = async (): Promise<UploadBuildRequest__Output | null> => {
    const { value, done } = await parts.next();
    return done ? null : value;
  };
  const request = (await next())?.request;
  if (!request?.definition) throw new Fault('invalid', 'bad-input', 'the first part is no submission');
  checkSourceCount(request.sources.length, deps.limits().sources);
  const files = filesOf(request);
  checkSizes(files, deps.maxUpload());
  let rest: Uint8Array = new Uint8Array();
  const stored: SpooledFile[] = [];
  for (const file of files) {
    const writer = await deps.spool.create();
    spooled.push(writer.name);
    const hash = createHash('sha256');
    try {
      for (let missing = Number(file.size); missing > 0; ) {
        if (rest.length === 0) rest = (await next())?.chunk ?? cutShort(file);
        const bytes = rest.subarray(0, missing);
        rest = rest.subarray(bytes.length);
        missing -= bytes.length;
        hash.update(bytes);
        await writer.write(bytes);
      }
    } finally {
      writer.close();
    }
    stored.push({ ...file, spool: writer.name, sha256: checkHash(hash, file) });
  }
  if (rest.length > 0 || (await next()))
    throw new Fault('invalid', 'bad-input', 'more bytes than were announced');
  const [definition = null, ...others] = stored;
  const sources = request.sources.map(({ id }, at) => ({ id, file: others[at] ?? null }));
  return { ...request, definition, sources };
}

function checkSizes(files: readonly SpooledFile[], limit: number): void {
  const sizes = files.map(file => Number(file.size));
  if (sizes.some(size => size < 0)) throw new Fault('invalid', 'bad-input', 'the size of a file is negative');
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > limit) throw new Fault('invalid', 'too-large', `the files are larger than ${limit} bytes`);
}

function cutShort(file: SpooledFile): never {
  throw new Fault('invalid', 'bad-input', `"${file.filename}" ended before its ${file.size} bytes`);
}

function checkHash(hash: Hash, file: SpooledFile): string {
  const sha256 = hash.digest('hex');
  if (file.sha256 === '' || file.sha256 === sha256) return sha256;
  throw new Fault(
    'invalid',
    'bad-checksum',
    `"${file.filename}" arrived with another SHA-256 than was announced`,
  );
}
