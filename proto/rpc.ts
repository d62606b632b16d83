/**
 * Our gRPC convention, both halves of one mirror: `implement()` turns plain async functions into a service and
 * `connect()` turns a service into plain async functions. Faults cross as themselves. With `services.ts` and the
 * daemon's server the only files that know gRPC.
 */
import * as grpc from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { Fault, type FaultData, KINDS, type Kind, toFault } from './fault.ts';
import type { CallContext, CallOptions, Client, Handlers, ServiceName } from './services.ts';

/** Largest message either side accepts, in bytes; what is larger comes as a stream. */
const MAX_MESSAGE = 4 * 1024 * 1024;

const LIMITS = {
  'grpc.max_receive_message_length': MAX_MESSAGE,
  'grpc.max_send_message_length': MAX_MESSAGE,
};
const CHANNEL = {
  ...LIMITS,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
};
const SERVER = {
  ...LIMITS,
  // A client whose machine has gone is noticed within 30 s.
  'grpc.keepalive_time_ms': 15_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Without this the server drops clients that ping as often as ours do.
  'grpc.http2.min_ping_interval_without_data_ms': 5000,
};

const FAULT_KEY = 'rackwright-fault-bin';
const DEFAULT_TIMEOUT = 30_000;

function definition(protocol: PackageDefinition, service: ServiceName): grpc.ServiceDefinition {
  return protocol[`rackwright.v1.${service}`] as grpc.ServiceDefinition;
}

/**
 * Streams that a client may reset: so many at once, and a second from then on. By Node's own guard against rapid resets,
 * 1,000 and 33, an edge whose watchers leave together would lose its connection, with all that others do over it.
 */
const RESETS = { streamResetBurst: 20_000, streamResetRate: 1000 };

/** An empty gRPC server with our limits; add services with implement(). */
export function createServer(): grpc.Server {
  const server = new grpc.Server(SERVER);
  // What it gives to Node's http2, for which it has no option of its own.
  Object.assign(Reflect.get(server, 'commonServerOptions'), RESETS);
  return server;
}

/** Told of every error that is not a Fault, once, before the caller is answered "internal error". */
export type ReportBug = (error: unknown, where: string) => void;

/** Adds a service to a server. */
export function implement<S extends ServiceName>(
  server: grpc.Server,
  protocol: PackageDefinition,
  service: S,
  handlers: Handlers<S>,
  reportBug: ReportBug,
): void {
  const raw: grpc.UntypedServiceImplementation = {};
  for (const [name, method] of Object.entries(definition(protocol, service))) {
    const lower = name[0]?.toLowerCase() + name.slice(1);
    const handler = (handlers as Record<string, AnyHandler>)[lower];
    if (!handler) throw new TypeError(`${service}.${lower} is not implemented`);
    const fail = (error: unknown): Partial<grpc.StatusObject> => {
      const fault = toFault(error);
      if (fault.kind === 'internal') reportBug(fault.cause ?? error, `${service}.${name}`);
      return toStatus(fault);
    };
    raw[name] = method.responseStream
      ? streamAnswer(handler, method.requestStream, fail)
      : singleAnswer(handler, method.requestStream, fail);
  }
  server.addService(definition(protocol, service), raw);
}

type AnyHandler = (request: unknown, call: CallContext) => unknown;
type AnyCall = grpc.ServerUnaryCall<unknown, unknown> & grpc.ServerDuplexStream<unknown, unknown>;
type Fail = (error: unknown) => Partial<grpc.StatusObject>;
/** Why a call's signal is aborted. */
const GONE = new Fault('cancelled', 'cancelled', 'the caller is gone');

function singleAnswer(handler: AnyHandler, requestStream: boolean, fail: Fail): grpc.UntypedHandleCall {
  return ((call: AnyCall, callback: grpc.sendUnaryData<unknown>) => {
    Promise.resolve()
      .then(() => handler(requestStream ? call : call.request, context(call)))
      .then(
        answer => callback(null, answer),
        error => callback(fail(error)),
      );
  }) as unknown as grpc.UntypedHandleCall;
}

function streamAnswer(handler: AnyHandler, requestStream: boolean, fail: Fail): grpc.UntypedHandleCall {
  return (async (call: AnyCall) => {
    const told = context(call);
    try {
      for await (const message of handler(
        requestStream ? call : call.request,
        told,
      ) as AsyncIterable<unknown>) {
        if (told.signal.aborted) return;
        if (!call.write(message)) await drained(call, told.signal);
      }
      call.end();
    } catch (error) {
      if (!told.signal.aborted) call.emit('error', fail(error));
    }
  }) as unknown as grpc.UntypedHandleCall;
}

/** Resolves when the stream takes more, or nobody is there any longer. */
function drained(call: AnyCall, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      call.removeListener('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

function context(call: AnyCall): CallContext {
  const abort = new AbortController();
  // Said of every streamed call, also of one that was answered: a reason of our own, since the usual one is dear to make.
  call.on('cancelled', () => abort.abort(GONE));
  const metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(call.metadata.getMap())) metadata[key] = value.toString();
  const certificate = call.getAuthContext().sslPeerCertificate;
  const name = certificate?.subject?.CN;
  return { metadata, certificateName: typeof name === 'string' ? name : null, signal: abort.signal };
}

function toStatus(fault: Fault): Partial<grpc.StatusObject> {
  const metadata = new grpc.Metadata();
  metadata.set(FAULT_KEY, Buffer.from(JSON.stringify(fault.toData()), 'utf8'));
  return { code: KINDS[fault.kind].grpc as grpc.status, details: fault.message, metadata };
}

function fromStatus(error: unknown): Fault {
  const status = error as Partial<grpc.ServiceError>;
  const data = status.metadata?.get(FAULT_KEY)[0];
  if (data instanceof Buffer) return Fault.from(JSON.parse(data.toString('utf8')) as FaultData);
  const message = status.details || (error instanceof Error ? error.message : String(error));
  if (status.code === grpc.status.DEADLINE_EXCEEDED) return new Fault('unavailable', 'timeout', message);
  // The connection was closed under the call. Faults of the service's own come with their data, above.
  if (status.code === grpc.status.INTERNAL && /\bRST_STREAM\b/.test(message))
    return new Fault('unavailable', 'unreachable', message, {}, { cause: error });
  if (status.code === grpc.status.UNIMPLEMENTED) return new Fault('unavailable', 'not-built-yet', message);
  const kind = (Object.keys(KINDS) as Kind[]).find(known => KINDS[known].grpc === status.code) ?? 'internal';
  return new Fault(kind, kind === 'unavailable' ? 'unreachable' : 'internal', message, {}, { cause: error });
}

/** A connection to a daemon. It connects on first use and again after a loss. */
export interface Connection {
  service<S extends ServiceName>(name: S): Client<S>;
  close(): void;
}

/** PEM texts for mutual TLS. */
export interface TlsIdentity {
  readonly ca: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** Connects to `unix:PATH` or `HOST:PORT`; TCP is mutual TLS always. */
export function connect(protocol: PackageDefinition, target: string, tls?: TlsIdentity): Connection {
  const credentials = tls
    ? grpc.credentials.createSsl(tls.ca, tls.key, tls.certificate)
    : grpc.credentials.createInsecure();
  if (!tls && !target.startsWith('unix:')) {
    throw new Fault('invalid', 'bad-input', `${target}: gRPC over TCP needs a client certificate`);
  }
  const clients: grpc.Client[] = [];
  return {
    service(name) {
      const client = new grpc.Client(target, credentials, CHANNEL);
      clients.push(client);
      const calls: Record<string, unknown> = {};
      for (const [method, shape] of Object.entries(definition(protocol, name))) {
        calls[method[0]?.toLowerCase() + method.slice(1)] = makeCall(client, shape);
      }
      return calls as Client<typeof name>;
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}

type Shape = grpc.MethodDefinition<unknown, unknown>;

function makeCall(client: grpc.Client, shape: Shape): unknown {
  const { path, requestSerialize: write, responseDeserialize: read } = shape;
  if (shape.requestStream && shape.responseStream) {
    return (requests: AsyncIterable<unknown>, options: CallOptions = {}) => {
      const call = client.makeBidiStreamRequest(path, write, read, head(options), how(options));
      sendAll(call, requests);
      return answers(call, options.signal);
    };
  }
  if (shape.responseStream) {
    return (request: unknown, options: CallOptions = {}) =>
      answers(
        client.makeServerStreamRequest(path, write, read, request, head(options), how(options)),
        options.signal,
      );
  }
  return (request: unknown, options: CallOptions = {}) =>
    new Promise((resolve, reject) => {
      const done = (error: grpc.ServiceError | null, answer: unknown): void => {
        if (error) reject(fromStatus(error));
        else resolve(answer);
      };
      const metadata = head(options);
      if (shape.requestStream) {
        const call = client.makeClientStreamRequest(path, write, read, metadata, how(options), done);
        cancelWith(options.signal, call);
        sendAll(call, request as AsyncIterable<unknown>);
      } else {
        const call = client.makeUnaryRequest(path, write, read, request, metadata, how(options), done);
        cancelWith(options.signal, call);
      }
    });
}

/** Cancels a call with the signal. The returned function forgets the call. */
function cancelWith(signal: AbortSignal | undefined, call: { cancel(): void }): () => void {
  const cancel = (): void => call.cancel();
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => signal?.removeEventListener('abort', cancel);
}

async function* answers<R>(
  call: AsyncIterable<R> & { cancel(): void },
  signal: AbortSignal | undefined,
): AsyncGenerator<R> {
  const forget = cancelWith(signal, call);
  try {
    yield* call;
  } catch (error) {
    throw fromStatus(error);
  } finally {
    forget();
    call.cancel();
  }
}

interface RequestStream {
  write(message: unknown): boolean;
  end(): void;
  cancel(): void;
  once(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
}

/** Sends every request with backpressure; a source that throws cancels the call. */
function sendAll(call: RequestStream, requests: AsyncIterable<unknown>): void {
  const send = async (): Promise<void> => {
    let gone = false;
    call.once('close', () => {
      gone = true;
    });
    for await (const message of requests) {
      if (gone) return;
      if (!call.write(message)) {
        await new Promise<void>(resolve => {
          call.once('drain', resolve);
          call.once('close', resolve);
          call.once('error', resolve);
        });
      }
    }
    call.end();
  };
  send().catch(() => call.cancel());
}

function head(options: CallOptions): grpc.Metadata {
  const metadata = new grpc.Metadata();
  if (options.authorization !== undefined) metadata.set('authorization', options.authorization);
  if (options.login !== undefined) metadata.set('rackwright-login', options.login);
  return metadata;
}

function how(options: CallOptions): grpc.CallOptions {
  const timeout = options.timeout ?? DEFAULT_TIMEOUT;
  return Number.isFinite(timeout) ? { deadline: Date.now() + timeout } : {};
}
