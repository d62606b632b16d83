/** The daemon's gRPC servers: one for each door, with health, reflection and an end that lets calls finish. */
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { errorCode, Fault } from '../../proto/fault.ts';
import { createServer, implement, type ReportBug, type TlsIdentity } from '../../proto/rpc.ts';
import type { Handlers, ServiceName } from '../../proto/services.ts';
import type { Door } from './caller.ts';

/** Where a door opens. */
export type Listen =
  | { readonly door: Door; readonly path: string; readonly mode: number }
  /** A listening socket that was passed to this process. */
  | { readonly door: Door; readonly fd: number }
  /** TCP is mutual TLS always. */
  | { readonly door: Door; readonly address: string; readonly tls: TlsIdentity };

/** Services of one door, by name. */
export type Services = { readonly [S in ServiceName]?: Handlers<S> };

export interface DoorServer {
  /** The address that was bound: a path, or `host:port`. */
  readonly address: string;
  /** Tells health checks, by the name of no service and of each. */
  setServing(serving: boolean): void;
  /** Takes no new calls and resolves when those under way have ended; after `grace` milliseconds they are cut off. */
  close(grace: number): Promise<void>;
}

/** Opens a door. Throws `conflict` when another process answers at that path; a socket left behind is replaced. */
export async function openDoor(
  protocol: PackageDefinition,
  listen: Listen,
  services: Services,
  reportBug: ReportBug,
): Promise<DoorServer> {
  const server = createServer();
  for (const [name, handlers] of Object.entries(services)) {
    implement(server, protocol, name as ServiceName, handlers as Handlers<ServiceName>, reportBug);
  }
  const names = ['', ...Object.keys(services).map(name => `rackwright.v1.${name}`)];
  const health = new HealthImplementation(Object.fromEntries(names.map(name => [name, 'NOT_SERVING'])));
  health.addToServer(server);
  new ReflectionService(protocol).addToServer(server);
  const bound = await bind(server, listen);
  return {
    address: bound.address,
    setServing: serving => {
      for (const name of names) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    },
    close: async grace => {
      bound.stopAccepting();
      const ended = new Promise<void>(resolve => server.tryShutdown(() => resolve()));
      const timer = setTimeout(() => server.forceShutdown(), grace);
      await ended;
      clearTimeout(timer);
    },
  };
}

interface Bound {
  readonly address: string;
  stopAccepting(): void;
}

async function bind(server: grpc.Server, listen: Listen): Promise<Bound> {
  if ('fd' in listen) return injectFrom(server, listen.fd);
  if ('address' in listen) {
    const { ca, certificate, key } = listen.tls;
    const pair = { private_key: key, cert_chain: certificate };
    const port = await bindTo(server, listen.address, grpc.ServerCredentials.createSsl(ca, [pair], true));
    return { address: listen.address.replace(/:0$/, `:${port}`), stopAccepting: () => undefined };
  }
  await clearStale(listen.path);
  await bindTo(server, `unix:${listen.path}`, grpc.ServerCredentials.createInsecure());
  await chmod(listen.path, listen.mode);
  return { address: listen.path, stopAccepting: () => undefined };
}

function bindTo(server: grpc.Server, address: string, credentials: grpc.ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error) reject(new Fault('conflict', 'busy', `can't listen on ${address}: ${error.message}`));
      else resolve(port);
    });
  });
}

/** Connections of a socket that systemd listens on: they wait there while we restart. */
function injectFrom(server: grpc.Server, fd: number): Promise<Bound> {
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const socket: SocketServer = createSocketServer(connection => injector.injectConnection(connection));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.listen({ fd }, () => resolve({ address: `fd ${fd}`, stopAccepting: () => socket.close() }));
  });
}

/** Removes a socket that nobody listens on any longer. Throws when somebody does, or when it is another kind of file. */
async function clearStale(path: string): Promise<void> {
  const answer = await new Promise<string>(resolve => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve('live');
    });
    probe.once('error', error => resolve(errorCode(error)));
  });
  if (answer === 'ENOENT') return;
  if (answer === 'ECONNREFUSED') {
    await rm(path, { force: true });
    return;
  }
  const why = answer === 'live' ? 'another process answers there' : answer;
  throw new Fault('conflict', 'busy', `can't listen on ${path}: ${why}`, { path });
}
