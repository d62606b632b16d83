/** Sockets that systemd opened for us (sd_listen_fds(3)): connections wait there while we restart. */

/** SD_LISTEN_FDS_START of sd-daemon.h. */
const FIRST = 3;
/** More than we have units for, and far below any limit. */
const MOST = 16;

/** Longest path of a Unix socket, in bytes (sockaddr_un of Linux, less the final NUL). */
export const MAX_SOCKET_PATH = 107;

/** A listening socket that was passed to this process. */
export interface PassedSocket {
  /** `FileDescriptorName=` of its unit; empty when it has none. */
  readonly name: string;
  readonly fd: number;
}

/** The sockets passed to this process, in the order of the units; none when they are another process's. */
export function passedSockets(env: NodeJS.ProcessEnv, pid: number): readonly PassedSocket[] {
  if (Number(env.LISTEN_PID) !== pid) return [];
  const count = Number(env.LISTEN_FDS);
  if (!Number.isInteger(count) || count < 1 || count > MOST) return [];
  const names = (env.LISTEN_FDNAMES ?? '').split(':');
  return Array.from({ length: count }, (_, at) => ({ name: names[at] ?? '', fd: FIRST + at }));
}
