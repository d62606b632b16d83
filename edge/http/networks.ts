/** Networks in CIDR form, and whose request it is by address: proxies are believed only where settings name them. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Fault } from '../../proto/fault.ts';
import { type Field, list } from '../../systemd/settings.ts';

/** Networks in CIDR form as a list that knows whether an address is in it. */
export interface Networks {
  readonly text: readonly string[];
  /** IPv4-mapped IPv6 addresses count as IPv4; anything that is no address is in no network. */
  has(address: string): boolean;
}

/** A list of them, one a line, or separated by `separator` too. */
export function networks(fallback: readonly string[], separator?: string): Field<Networks> {
  const { read } = list(fallback, separator);
  return { fallback: parseNetworks(fallback), read: value => parseNetworks(read(value)) };
}

/** Parses CIDR networks; host bits set behind the mask are refused. Throws strings, as settings fields do. */
export function parseNetworks(items: readonly string[]): Networks {
  const block = new BlockList();
  for (const item of items) {
    const [address = '', mask, more] = item.split('/');
    const family = isIP(address);
    if (family === 0 || more !== undefined) throw `"${item}" is not a network such as 10.0.0.0/8`;
    const bits = mask === undefined ? (family === 4 ? 32 : 128) : /^\d{1,3}$/.test(mask) ? Number(mask) : -1;
    if (bits < 0 || bits > (family === 4 ? 32 : 128)) throw `"${item}" has a bad mask`;
    if (hasHostBits(address, family, bits)) throw `"${item}" has host bits set behind its mask`;
    block.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return new BlockedNetworks(items, block);
}

/** A class, so that two lists of the same networks are deeply equal. */
class BlockedNetworks implements Networks {
  readonly text: readonly string[];
  readonly #block: BlockList;

  constructor(text: readonly string[], block: BlockList) {
    this.text = text;
    this.#block = block;
  }

  has(address: string): boolean {
    const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
    const family = isIP(plain);
    return family !== 0 && this.#block.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  }
}

function hasHostBits(address: string, family: number, bits: number): boolean {
  const whole =
    family === 4
      ? address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
      : parseIpv6(address);
  const rest = BigInt((family === 4 ? 32 : 128) - bits);
  return (whole & ((1n << rest) - 1n)) !== 0n;
}

function parseIpv6(address: string): bigint {
  // The URL parser knows every spelling; it answers eight-or-fewer groups with one "::".
  const text = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const groups = (part: string | undefined): string[] => (part ? part.split(':') : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...(tail === undefined ? [] : Array(missing).fill('0')), ...groups(tail)];
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/** The peer of a request's socket. A Unix socket's peer has no address: it is of this host. */
function peerOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '127.0.0.1';
}

/**
 * The socket's peer; from a trusted proxy the rightmost word of `X-Forwarded-For` that is no proxy of ours. Where that
 * word is no address, the peer stands for it: good for counting, not for letting in.
 */
export function clientAddress(request: IncomingMessage, trusted: Networks): string {
  const address = strictAddress(request, trusted);
  return isIP(address) === 0 ? peerOf(request) : address;
}

/** The same, but what is no address comes back as it stands, so that it is in no network. */
function strictAddress(request: IncomingMessage, trusted: Networks): string {
  const peer = peerOf(request);
  const header = request.headers['x-forwarded-for'];
  if (header === undefined || !trusted.has(peer)) return peer;
  const words = String(header)
    .split(',')
    .map(word => word.trim());
  return words.findLast(word => !trusted.has(word)) ?? peer;
}

/** Throws `forbidden` unless the client is in one of the networks that may read metrics. */
export function requireNetwork(request: IncomingMessage, restrict: Networks, trusted: Networks): void {
  const address = strictAddress(request, trusted);
  if (restrict.has(address)) return;
  const shown = address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, 64);
  throw new Fault('forbidden', 'no-permission', `IP address ${shown} not authorized to request metrics`);
}
