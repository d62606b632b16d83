/** Waiting for what other processes do, and a port for them to do it at. */
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/** Milliseconds between looks. */
const LOOK = 25;

/** Waits until a condition holds; gives up, naming it by its source, after so many milliseconds. */
export async function until(holds: () => Promise<boolean> | boolean, limit = 60_000): Promise<void> {
  const end = performance.now() + limit;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${limit} ms: ${holds}`);
    await new Promise(resolve => setTimeout(resolve, LOOK));
  }
}

/** Where a port is looked for: below those that Linux gives to whoever connects or listens without naming one. */
const PORTS = { from: 20_000, to: 32_000 };
const given = new Set<number>();

/** A loopback port that nobody has, and that nobody is given by chance before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (given.has(port) || !(await canListen(port))) continue;
    given.add(port);
    return port;
  }
}

/** Whether nobody listens on a loopback port. */
export async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  const could = await new Promise<boolean>(resolve => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (could) await new Promise(resolve => server.close(resolve));
  return could;
}

/** Waits until something listens on a loopback port; gives up, naming the Debian package it comes from, after 2,400 tries. */
export async function listening(port: number, debianPackage: string): Promise<void> {
  for (let attempt = 0; attempt < 2400; attempt += 1) {
    const open = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    await new Promise(resolve => setTimeout(resolve, LOOK));
  }
  throw new Error(`nothing listens on ${port}: is the package ${debianPackage} installed?`);
}
