/** Whose request it is, by address: proxies are believed only where the settings name them. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Networks } from './fields.ts';

/** The peer of the socket; from a trusted proxy the rightmost address of `X-Forwarded-For` that is no proxy of ours. */
export function clientAddress(request: IncomingMessage, trusted: Networks): string {
  // A Unix socket's peer has no address: it is of this host.
  const peer = request.socket.remoteAddress ?? '127.0.0.1';
  if (!trusted.has(peer)) return peer;
  const header = request.headers['x-forwarded-for'];
  const addresses = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
  const outside = addresses.findLast(address => !trusted.has(address));
  return outside !== undefined && isIP(outside) !== 0 ? outside : peer;
}
