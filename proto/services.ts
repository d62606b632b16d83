/** Our services as TypeScript knows them: handlers and clients as plain functions, derived from the generated types. */
import { fileURLToPath } from 'node:url';
import type * as grpc from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type PackageDefinition } from '@grpc/proto-loader';
import type { BuildServiceDefinition, BuildServiceHandlers } from './types/rackwright/v1/BuildService.ts';
import type {
  ConsoleServiceDefinition,
  ConsoleServiceHandlers,
} from './types/rackwright/v1/ConsoleService.ts';
import type { DaemonServiceDefinition, DaemonServiceHandlers } from './types/rackwright/v1/DaemonService.ts';
import type {
  DrawingServiceDefinition,
  DrawingServiceHandlers,
} from './types/rackwright/v1/DrawingService.ts';
import type { ImageServiceDefinition, ImageServiceHandlers } from './types/rackwright/v1/ImageService.ts';
import type {
  InstanceServiceDefinition,
  InstanceServiceHandlers,
} from './types/rackwright/v1/InstanceService.ts';
import type {
  InventoryServiceDefinition,
  InventoryServiceHandlers,
} from './types/rackwright/v1/InventoryService.ts';
import type {
  KeyringServiceDefinition,
  KeyringServiceHandlers,
} from './types/rackwright/v1/KeyringService.ts';
import type {
  RegistryServiceDefinition,
  RegistryServiceHandlers,
} from './types/rackwright/v1/RegistryService.ts';
import type { TaskServiceDefinition, TaskServiceHandlers } from './types/rackwright/v1/TaskService.ts';
import type { TokenServiceDefinition, TokenServiceHandlers } from './types/rackwright/v1/TokenService.ts';

interface Definitions {
  BuildService: BuildServiceDefinition;
  ConsoleService: ConsoleServiceDefinition;
  DaemonService: DaemonServiceDefinition;
  DrawingService: DrawingServiceDefinition;
  ImageService: ImageServiceDefinition;
  InstanceService: InstanceServiceDefinition;
  InventoryService: InventoryServiceDefinition;
  KeyringService: KeyringServiceDefinition;
  RegistryService: RegistryServiceDefinition;
  TaskService: TaskServiceDefinition;
  TokenService: TokenServiceDefinition;
}

interface RawHandlers {
  BuildService: BuildServiceHandlers;
  ConsoleService: ConsoleServiceHandlers;
  DaemonService: DaemonServiceHandlers;
  DrawingService: DrawingServiceHandlers;
  ImageService: ImageServiceHandlers;
  InstanceService: InstanceServiceHandlers;
  InventoryService: InventoryServiceHandlers;
  KeyringService: KeyringServiceHandlers;
  RegistryService: RegistryServiceHandlers;
  TaskService: TaskServiceHandlers;
  TokenService: TokenServiceHandlers;
}

export type ServiceName = keyof Definitions;

/** Names of a service's methods, without the index signature that grpc-js's base type adds. */
type Method<S extends ServiceName> = keyof {
  [M in keyof RawHandlers[S] as string extends M ? never : M]: true;
};

/** What a handler is told of its call beside the request. */
export interface CallContext {
  readonly metadata: Readonly<Record<string, string>>;
  /** Subject common name of the peer's certificate; only over mutual TLS. */
  readonly certificateName: string | null;
  /** Aborts when the caller is gone or its deadline has passed. */
  readonly signal: AbortSignal;
}

type Handler<H> =
  H extends grpc.handleBidiStreamingCall<infer Q, infer R>
    ? (requests: AsyncIterable<Q>, call: CallContext) => AsyncIterable<R>
    : H extends grpc.handleClientStreamingCall<infer Q, infer R>
      ? (requests: AsyncIterable<Q>, call: CallContext) => Promise<R>
      : H extends grpc.handleServerStreamingCall<infer Q, infer R>
        ? (request: Q, call: CallContext) => AsyncIterable<R>
        : H extends grpc.handleUnaryCall<infer Q, infer R>
          ? (request: Q, call: CallContext) => Promise<R>
          : never;

/** A service as plain functions, method names in lower camel case. */
export type Handlers<S extends ServiceName> = {
  [M in Method<S> as Uncapitalize<M & string>]: Handler<RawHandlers[S][M]>;
};

/** How one call is made. */
export interface CallOptions {
  /** Value of the caller's Authorization header, forwarded as it came. */
  readonly authorization?: string | undefined;
  /** Login to act as; counts on the control socket only. */
  readonly login?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; 30 s unless told. Streams that follow something pass Infinity. */
  readonly timeout?: number | undefined;
}

type Streams<S extends ServiceName, M> = M extends keyof RawHandlers[S] ? RawHandlers[S][M] : never;
type Types<S extends ServiceName, M> = M extends keyof Definitions[S]
  ? Definitions[S][M] extends MethodDefinition<infer I, infer _R, infer _Q, infer O>
    ? { request: I; response: O }
    : never
  : never;

type Call<H, T> = T extends { request: infer Q; response: infer R }
  ? H extends grpc.handleBidiStreamingCall<infer _A, infer _B>
    ? (requests: AsyncIterable<Q>, options?: CallOptions) => AsyncIterable<R>
    : H extends grpc.handleClientStreamingCall<infer _A, infer _B>
      ? (requests: AsyncIterable<Q>, options?: CallOptions) => Promise<R>
      : H extends grpc.handleServerStreamingCall<infer _A, infer _B>
        ? (request: Q, options?: CallOptions) => AsyncIterable<R>
        : (request: Q, options?: CallOptions) => Promise<R>
  : never;

/** A remote service as plain functions. They throw Fault, `unavailable` when nobody answers. */
export type Client<S extends ServiceName> = {
  [M in Method<S> as Uncapitalize<M & string>]: Call<Streams<S, M>, Types<S, M>>;
};

/** The folder that `.proto` imports are relative to. */
const PROTO_ROOT = fileURLToPath(new URL('.', import.meta.url));

/** All services and messages, parsed from the `.proto` files. Done once, at start, by each process. */
export function loadProtocol(): PackageDefinition {
  const names = Object.keys(SERVICE_FILES).map(name => SERVICE_FILES[name as ServiceName]);
  return loadSync(names, {
    includeDirs: [PROTO_ROOT],
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
  });
}

const SERVICE_FILES: Record<ServiceName, string> = {
  BuildService: 'rackwright/v1/build_service.proto',
  ConsoleService: 'rackwright/v1/console_service.proto',
  DaemonService: 'rackwright/v1/daemon_service.proto',
  DrawingService: 'rackwright/v1/drawing_service.proto',
  ImageService: 'rackwright/v1/image_service.proto',
  InstanceService: 'rackwright/v1/instance_service.proto',
  InventoryService: 'rackwright/v1/inventory_service.proto',
  KeyringService: 'rackwright/v1/keyring_service.proto',
  RegistryService: 'rackwright/v1/registry_service.proto',
  TaskService: 'rackwright/v1/task_service.proto',
  TokenService: 'rackwright/v1/token_service.proto',
};
