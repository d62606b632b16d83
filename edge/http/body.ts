/** Request bodies: how long they may take, how uploads are read, and how the rest is read off before a refusal. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, speakPage } from './problem.ts';

/** Milliseconds for the whole body of an ordinary request. */
const BODY_TIMEOUT = 30_000;
/** An upload must bring this many bytes … */
const MIN_BYTES = 16 * 1024 * 30;
/** … in each stretch of so many milliseconds (16 KiB/s over 30 s). */
const RATE_WINDOW = 30_000;

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Answers 408 and closes when an ordinary request's body is not there in time. */
export function watchOrdinaryBody(request: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(() => answerLate(request, response, 'the body came too slowly'), BODY_TIMEOUT);
  timer.unref();
  const stop = (): void => clearTimeout(timer);
  request.once('end', stop);
  request.once('close', stop);
}

/** Answers 408 at once, whatever is being read, and closes the connection. */
function answerLate(request: IncomingMessage, response: ServerResponse, message: string): void {
  if (request.complete || response.headersSent) return;
  const made = speakPage(new Refusal(408, message));
  response.writeHead(408, { ...made.headers, connection: 'close' });
  response.end(made.body, () => request.destroy());
}

/** Calls `late` once an upload falls below the minimum rate. The returned function ends the watch. */
function watchRate(request: IncomingMessage, late: () => void): () => void {
  let before = request.socket.bytesRead;
  const timer = setInterval(() => {
    const now = request.socket.bytesRead;
    if (!request.complete && now - before < MIN_BYTES) late();
    before = now;
  }, RATE_WINDOW);
  timer.unref();
  const stop = (): void => clearInterval(timer);
  request.once('close', stop);
  return stop;
}

/** A body as it comes, as long as it flows and keeps below the limit. Throws 413, or 400 when the client is gone. */
export async function* limitedBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): AsyncGenerator<Buffer> {
  const tooLarge = new Refusal(413, `an upload may have at most ${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge;
  let total = 0;
  const stop = watchRate(request, () => answerLate(request, response, 'the upload came too slowly'));
  try {
    // The stream is not destroyed by leaving it early: a refusal reads it off.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      total += (chunk as Buffer).length;
      if (total > limit) throw tooLarge;
      yield chunk as Buffer;
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'the upload broke off');
  } finally {
    stop();
  }
}

/**
 * Reads off what is left of a body, at most `limit` bytes, so that a client which sends first and reads then gets its
 * answer instead of a broken connection. Never throws; a body that stalls is given up. The answer is whether all is read.
 */
export function drain(request: IncomingMessage, limit: number): Promise<boolean> {
  if (!hasBody(request) || request.complete || request.destroyed) return Promise.resolve(true);
  return new Promise(resolve => {
    let left = limit;
    const stopRate = watchRate(request, finish);
    function finish(): void {
      stopRate();
      request.removeListener('data', count);
      request.removeListener('end', finish);
      request.removeListener('close', finish);
      request.removeListener('error', finish);
      resolve(request.complete);
    }
    function count(chunk: Buffer): void {
      left -= chunk.length;
      if (left < 0) finish();
    }
    request.on('data', count);
    request.once('end', finish);
    request.once('close', finish);
    request.once('error', finish);
    request.resume();
  });
}
