/** Checks what somebody submits against the instance before anything of it is kept. Pure. */
import { Fault } from '../../proto/fault.ts';
import { ARTIFACT_NAME, type FormatName } from '../../proto/words.ts';
import type { BuildSpec, InstanceSlice } from '../../workers/job.ts';

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

/** Source archives of one build. */
export const MAX_SOURCES = 64;
const MAX_TEXT = 4096;
const MAX_MESSAGE = 64 * 1024;

function invalid(message: string): Fault {
  return new Fault('invalid', 'bad-input', message);
}

function unknown(message: string): Fault {
  return new Fault('not_found', 'not-found', message);
}

/**
 * The build's place and texts once they are checked. Throws `not_found` for names that the instance does not know,
 * `invalid` for those that do not go together or are malformed.
 */
export function checkBuild(
  instance: InstanceSlice,
  wish: BuildWish,
): Omit<BuildSpec, 'definition' | 'sources'> {
  const format = checkPlace(instance, wish);
  const architectures = [...new Set(wish.architectures.map(word => word.trim()))];
  if (architectures.length === 0 || architectures.includes('')) throw invalid('an architecture is empty');
  for (const word of architectures) {
    if (!instance.architectures.includes(word)) throw unknown(`the architecture "${word}" is in no pipeline`);
  }
  if (!ARTIFACT_NAME.test(wish.artifact))
    throw invalid(`"${shorten(wish.artifact)}" is no name for an artifact`);
  checkPerson('user name', wish.author);
  checkPerson('e-mail address', wish.email);
  checkMessage(wish.message);
  checkSources(wish.sources);
  const { distribution, derivative, artifact, author, email, message } = wish;
  return { type: 'build', format, distribution, derivative, architectures, artifact, author, email, message };
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

function checkPerson(what: string, text: string): void {
  if (text.trim() === '') throw invalid(`the ${what} is empty`);
  if (Buffer.byteLength(text) > MAX_TEXT) throw invalid(`the ${what} is longer than ${MAX_TEXT} bytes`);
  if (/[<>\p{Cc}]/u.test(text)) throw invalid(`the ${what} has "<", ">" or a control character`);
}

function checkMessage(message: string): void {
  if (message.trim() === '') throw invalid('the message is empty');
  if (Buffer.byteLength(message) > MAX_MESSAGE)
    throw invalid(`the message is longer than ${MAX_MESSAGE} bytes`);
  // Tabs and line ends are the only controls that a changelog can hold.
  if (/[^\P{Cc}\t\r\n]/u.test(message)) throw invalid('the message has a control character');
}

function checkSources(sources: BuildWish['sources']): void {
  if (sources.length > MAX_SOURCES) throw invalid(`more than ${MAX_SOURCES} source archives`);
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
