/** Checks what somebody submits against the instance before anything of it is kept. Pure. */
import { requireBuildable } from '../../proto/buildable.ts';
import { Fault } from '../../proto/fault.ts';
import { ARTIFACT_NAME, type FormatName } from '../../proto/words.ts';
import type { BuildSpec, InstanceSlice, Spec } from '../../workers/job.ts';

/** A build as it is asked for; texts as they came. */
export interface BuildWish {
  readonly format: string;
  readonly distribution: string;
  readonly derivative: string;
  readonly architectures: readonly string[];
  readonly artifact: string;
  readonly author: string;
  readonly email: string;
  readonly message: string;
  readonly sources: readonly { readonly id: string; readonly filename: string }[];
}

/** What one build may bring along: bytes of a text and of the message, source archives. */
export interface PartLimits {
  readonly text: number;
  readonly message: number;
  readonly sources: number;
}

function invalid(message: string): Fault {
  return new Fault('invalid', 'bad-input', message);
}

function tooLarge(message: string): Fault {
  return new Fault('invalid', 'too-large', message);
}

function unknown(message: string): Fault {
  return new Fault('not_found', 'not-found', message);
}

/**
 * The build's place and texts once they are checked. Throws `not_found` for names that the instance does not know,
 * `invalid` for those that do not go together, are malformed, or larger than `limits`.
 */
export function checkBuild(
  instance: InstanceSlice,
  wish: BuildWish,
  limits: PartLimits,
): Omit<BuildSpec, 'definition' | 'sources'> {
  const format = checkPlace(instance, wish);
  const architectures = [...new Set(wish.architectures.map(word => word.trim()))];
  if (architectures.length === 0 || architectures.includes('')) throw invalid('an architecture is empty');
  for (const word of architectures) {
    if (!instance.architectures.includes(word)) throw unknown(`the architecture "${word}" is in no pipeline`);
  }
  if (!ARTIFACT_NAME.test(wish.artifact))
    throw invalid(`"${shorten(wish.artifact)}" is no name for an artifact`);
  checkPerson('user name', wish.author, limits.text);
  checkPerson('e-mail address', wish.email, limits.text);
  checkMessage(wish.message, limits.message);
  checkSources(wish.sources, limits.sources);
  const { distribution, derivative, artifact, author, email, message } = wish;
  return { type: 'build', format, distribution, derivative, architectures, artifact, author, email, message };
}

/** Throws `not-built-yet` for a task that could only fail: a build of what this version does not build, or a room for it. */
export function checkBuildable(spec: Spec): void {
  switch (spec.type) {
    case 'build':
    case 'image-creation':
    case 'image-update':
    case 'image-shell':
    case 'environment-creation':
    case 'environment-update':
    case 'environment-shell':
      requireBuildable(spec.format);
  }
}

function checkPlace(instance: InstanceSlice, { format, distribution, derivative }: BuildWish): FormatName {
  const { pipelines } = instance;
  const ofFormat = pipelines.filter(pipeline => pipeline.format === format);
  if (!ofFormat[0]) throw unknown(`the format "${shorten(format)}" is in no pipeline`);
  if (!pipelines.some(pipeline => pipeline.distribution === distribution)) {
    throw unknown(`the distribution "${shorten(distribution)}" is in no pipeline`);
  }
  const pipeline = ofFormat.find(it => it.distribution === distribution);
  if (!pipeline) throw invalid(`the distribution "${distribution}" is not of the format ${format}`);
  if (derivative !== 'main' && !Object.hasOwn(instance.extends, derivative)) {
    throw unknown(`there is no derivative "${shorten(derivative)}"`);
  }
  if (!pipeline.derivatives.includes(derivative)) {
    throw invalid(`the derivative "${derivative}" is not available for the format ${format}`);
  }
  return pipeline.format;
}

function checkPerson(what: string, text: string, limit: number): void {
  if (text.trim() === '') throw invalid(`the ${what} is empty`);
  if (Buffer.byteLength(text) > limit) throw tooLarge(`the ${what} is longer than ${limit} bytes`);
  if (/[<>\p{Cc}]/u.test(text)) throw invalid(`the ${what} has "<", ">" or a control character`);
}

function checkMessage(message: string, limit: number): void {
  if (message.trim() === '') throw invalid('the message is empty');
  if (Buffer.byteLength(message) > limit) throw tooLarge(`the message is longer than ${limit} bytes`);
  // Tabs and line ends are the only controls that a changelog can hold.
  if (/[^\P{Cc}\t\r\n]/u.test(message)) throw invalid('the message has a control character');
}

/** Throws `too-large` for more source archives than may be. */
export function checkSourceCount(count: number, limit: number): void {
  if (count > limit) throw tooLarge(`more than ${limit} source archives`);
}

function checkSources(sources: BuildWish['sources'], limit: number): void {
  checkSourceCount(sources.length, limit);
  const seen = new Set<string>();
  for (const { id, filename } of sources) {
    if (!ARTIFACT_NAME.test(id)) throw invalid(`"${shorten(id)}" is no name for a source`);
    if (seen.has(id)) throw invalid(`the source "${id}" was sent twice`);
    seen.add(id);
    if (!/^[^/\p{Cc}]{1,255}$/u.test(filename) || filename === '.' || filename === '..') {
      throw invalid(`"${shorten(filename)}" is no file name for the source "${id}"`);
    }
  }
}

/** A foreign text, short enough for a message. */
function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
