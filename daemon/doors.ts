/** The daemon's doors: the control socket, the edge's socket and, where it is set, TCP with mutual TLS. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageDefinition } from '@grpc/proto-loader';
import { Fault } from '../proto/fault.ts';
import type { ReportBug } from '../proto/rpc.ts';
import type { Handlers, ServiceName } from '../proto/services.ts';
import { MAX_SOCKET_PATH, type PassedSocket } from '../systemd/sockets.ts';
import type { DaemonSettings } from './config.ts';
import { type Door, guard, type Identities } from './grpc/caller.ts';
import { type DoorServer, type Listen, openDoor, type Services } from './grpc/server.ts';

/** The administrators' socket in the run folder; no other name there is longer. */
const CONTROL = 'control.sock';

export interface DoorsOptions {
  readonly settings: DaemonSettings;
  readonly protocol: PackageDefinition;
  readonly services: Services;
  readonly identities: Identities;
  /** The folder that edge and daemon share: its group is the edge's. */
  readonly spool: string;
  /** Sockets that systemd opened. */
  readonly passed: readonly PassedSocket[];
  readonly warn: (text: string) => void;
  readonly reportBug: ReportBug;
}

/** Throws a Fault that says what to do when the sockets in the run folder would have too long a path. */
export function checkSocketPaths({ dirs }: Pick<DaemonSettings, 'dirs'>): void {
  const path = join(dirs.run, CONTROL);
  const length = Buffer.byteLength(path);
  if (length <= MAX_SOCKET_PATH) return;
  const message =
    `${path} has ${length} bytes, and the path of a Unix socket may have ${MAX_SOCKET_PATH}: ` +
    'choose a shorter home, or set [dirs] run to a short folder';
  throw new Fault('invalid', 'bad-settings', message, { path });
}

/** Opens all doors; none stays open when one can't be opened. */
export async function openDoors(options: DoorsOptions): Promise<readonly DoorServer[]> {
  const doors: DoorServer[] = [];
  try {
    for (const listen of listens(options)) {
      const services = behindGuard(options, listen.door);
      doors.push(await openDoor(options.protocol, listen, services, options.reportBug));
      // Who may write uploads may also bring them in; the control socket's group is another.
      if (listen.door === 'edge' && 'path' in listen) chownSync(listen.path, -1, statSync(options.spool).gid);
    }
    return doors;
  } catch (error) {
    await Promise.all(doors.map(door => door.close(0)));
    throw error;
  }
}

function behindGuard({ protocol, services, identities }: DoorsOptions, door: Door): Services {
  const guarded = Object.entries(services).map(([name, handlers]) => {
    const service = name as ServiceName;
    return [name, guard(protocol, service, door, handlers as Handlers<ServiceName>, identities)] as const;
  });
  return Object.fromEntries(guarded) as Services;
}

function listens({ settings, passed, warn }: DoorsOptions): Listen[] {
  const { run } = settings.dirs;
  mkdirSync(run, { recursive: true, mode: 0o755 });
  chmodSync(run, 0o755);
  const path = join(run, CONTROL);
  const control = passed.find(socket => socket.name === 'control') ?? passed[0];
  const doors: Listen[] = [
    control ? { door: 'control', fd: control.fd } : { door: 'control', path, mode: 0o660 },
    { door: 'edge', path: join(run, 'edge.sock'), mode: 0o660 },
  ];
  const { listen } = settings.daemon;
  const tcp = passed.find(socket => socket.name === 'tcp');
  if (tcp)
    warn('a socket unit passes "tcp": gRPC over TCP is opened by [daemon] listen, the unit is not used');
  if (listen !== null) doors.push({ door: 'tcp', address: listen, tls: readTls(settings) });
  return doors;
}

function readTls({ daemon }: DaemonSettings): { ca: Buffer; certificate: Buffer; key: Buffer } {
  const { tls_ca: ca, tls_certificate: certificate, tls_key: key } = daemon;
  if (ca === null || certificate === null || key === null) {
    const message = '[daemon] listen needs tls_ca, tls_certificate and tls_key: gRPC over TCP is mutual TLS';
    throw new Fault('invalid', 'bad-settings', message);
  }
  const read = (file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      throw new Fault('invalid', 'bad-settings', `${file} can't be read: ${(error as Error).message}`);
    }
  };
  return { ca: read(ca), certificate: read(certificate), key: read(key) };
}
