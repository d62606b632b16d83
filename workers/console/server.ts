/** The Unix socket of a console: each client gets the journal from its beginning, then follows it, at its own pace. */
import { chmodSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { COMMAND, decodeWinch, encodeLog, FrameReader, HEADER_SIZE, MAX_PAYLOAD } from '../../proto/frame.ts';
import type { Transcript } from './transcript.ts';

/** What an attached client sends to an interactive program. */
type InputEvent =
  | { readonly type: 'keys'; readonly bytes: Buffer }
  | { readonly type: 'size'; readonly rows: number; readonly columns: number };
export type Input = (event: InputEvent) => void;

/** Clients at once; more are closed at once. */
const MAX_CLIENTS = 1000;
/** Bytes read and sent at a time: a whole frame always fits. */
const CHUNK = 2 * (HEADER_SIZE + MAX_PAYLOAD);
/** A client that takes nothing for so many milliseconds, with so many bytes to come, is moved on to the present. */
const STALLED = 5000;
const MAX_LAG = 4 * 1024 * 1024;
/** Bytes before the end at which such a client goes on. */
const RESUME = 128 * 1024;
/** Milliseconds that clients have to take the rest after the end. */
const LINGER = 30_000;
/** Milliseconds in which connections that were made before the end are still taken. */
const LAST_CALL = 500;

/**
 * Clients never hold anything up: what they have not taken yet stays in the journal, not in memory, so that each costs
 * one chunk however slow it is.
 */
export class ConsoleServer {
  readonly #transcript: Transcript;
  readonly #input: Input | null;
  readonly #clients = new Set<Client>();
  #server: Server | null = null;
  #path = '';
  #ended = false;
  #closed = false;
  #released = false;

  constructor(transcript: Transcript, options: { readonly input?: Input }) {
    this.#transcript = transcript;
    this.#input = options.input ?? null;
  }

  async listen(path: string): Promise<void> {
    // Left by an attempt that was killed; nobody else opens sockets in a task's workspace.
    removeSocket(path);
    const server = createServer(socket => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    server.on('error', () => undefined);
    chmodSync(path, 0o770);
    this.#server = server;
    this.#path = path;
  }

  /** Tells that the journal has grown. */
  wake(): void {
    for (const client of this.#clients) client.send();
  }

  /** No new connections. Those that were made may take what is left within LINGER; then the journal is closed. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#path !== '') removeSocket(this.#path);
    setTimeout(() => {
      this.#server?.close();
      this.#closed = true;
      if (this.#clients.size === 0) this.#release();
    }, LAST_CALL).unref();
    const timer = setTimeout(() => {
      for (const client of this.#clients) client.socket.destroy();
    }, LINGER);
    timer.unref();
    this.wake();
  }

  #accept(socket: Socket): void {
    if (this.#clients.size >= MAX_CLIENTS) {
      socket.destroy();
      return;
    }
    const client = new Client(socket, this.#transcript, () => this.#ended);
    this.#clients.add(client);
    const frames = new FrameReader();
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const frame of frames.push(bytes)) this.#receive(frame.command, frame.payload);
      } catch {
        // A frame of a size that none has: this is no client of ours.
        socket.destroy();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      client.stop();
      this.#clients.delete(client);
      if (this.#closed && this.#clients.size === 0) this.#release();
    });
    client.send();
  }

  #receive(command: number, payload: Buffer): void {
    if (!this.#input) return;
    if (command === COMMAND.bytes && payload.length > 0)
      this.#input({ type: 'keys', bytes: Buffer.from(payload) });
    const size = command === COMMAND.winch ? decodeWinch(payload) : null;
    if (size) this.#input({ type: 'size', ...size });
  }

  #release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#transcript.close();
  }
}

/** One attached reader: its place in the journal and whether it is taking. */
class Client {
  readonly socket: Socket;
  readonly #transcript: Transcript;
  readonly #isEnded: () => boolean;
  #position = 0;
  #busy = false;
  #stalled = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(socket: Socket, transcript: Transcript, isEnded: () => boolean) {
    this.socket = socket;
    this.#transcript = transcript;
    this.#isEnded = isEnded;
    socket.on('drain', () => {
      this.#busy = false;
      this.stop();
      this.send();
    });
  }

  /** Sends what there is, as long as it is taken. */
  send(): void {
    while (!this.#busy && !this.socket.destroyed) {
      if (this.#stalled) this.#skip();
      const left = this.#transcript.size - this.#position;
      if (left <= 0) break;
      const chunk = wholeFrames(
        this.#transcript.read(this.#position, Buffer.allocUnsafe(Math.min(CHUNK, left))),
      );
      if (chunk.length === 0) break;
      this.#position += chunk.length;
      this.#busy = !this.socket.write(chunk);
      if (this.#busy) this.#watch();
    }
    if (!this.#busy && this.#isEnded() && this.#position >= this.#transcript.size) this.socket.end();
  }

  /** Stops watching for a stall. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #watch(): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#stalled = true;
    }, STALLED);
    this.#timer.unref();
  }

  /** A client that was stopped goes on with the present, after a line that says so. */
  #skip(): void {
    this.#stalled = false;
    if (this.#transcript.size - this.#position <= MAX_LAG) return;
    const next = this.#transcript.resumeNear(RESUME);
    const skipped = next - this.#position;
    if (skipped <= 0) return;
    this.#position = next;
    this.#busy = !this.socket.write(
      encodeLog('warning', `${skipped} bytes skipped, since this reader had stopped; the journal has them`),
    );
  }
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // None there.
  }
}

/** The leading whole frames of some bytes. */
function wholeFrames(bytes: Buffer): Buffer {
  let at = 0;
  while (at + HEADER_SIZE <= bytes.length) {
    const size = HEADER_SIZE + bytes.readUInt32LE(at + 4);
    if (at + size > bytes.length) break;
    at += size;
  }
  return bytes.subarray(0, at);
}
