/** Kinds of settings that only the cluster roles have: addresses, networks, colours, words with old spellings. */
import { BlockList, isIP } from 'node:net';
import type { Field } from '../../systemd/settings.ts';

/** An absolute http(s) address without credentials, query or fragment; `schemes` for others than the web's. */
export function uri(fallback: null, schemes: readonly string[] = ['http', 'https']): Field<string | null> {
  return { fallback, read: value => checkUri(value, schemes) };
}

/** A list of such addresses, one a line. */
export function uris(schemes: readonly string[] = ['http', 'https']): Field<readonly string[]> {
  return {
    fallback: [],
    read: value => {
      const items = value.split(/\n/).flatMap(line => line.trim() || []);
      const repeated = items.find((item, at) => items.indexOf(item) < at);
      if (repeated !== undefined) throw `${repeated} stands twice`;
      return items.map(item => checkUri(item, schemes));
    },
  };
}

function checkUri(value: string, schemes: readonly string[]): string {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (!parsed || /\s/.test(value)) throw `"${value}" is not a URL`;
  if (!schemes.includes(parsed.protocol.slice(0, -1))) {
    throw `"${value}" is not ${schemes.map(scheme => `${scheme}:`).join(' or ')}`;
  }
  if (parsed.username !== '' || parsed.password !== '') throw 'credentials have no place in a URL';
  if (parsed.search !== '' || parsed.hash !== '') throw `"${value}" has a query or fragment`;
  return value;
}

/** Networks in CIDR form, one a line, as a list that knows whether an address is in it. */
export interface Networks {
  readonly text: readonly string[];
  /** IPv4-mapped IPv6 addresses count as IPv4; anything that is no address is in no network. */
  has(address: string): boolean;
}

export function networks(fallback: readonly string[]): Field<Networks> {
  return {
    fallback: parseNetworks(fallback),
    read: value => parseNetworks(value.split('\n').flatMap(line => line.trim() || [])),
  };
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
  return {
    text: items,
    has: address => {
      const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
      const family = isIP(plain);
      return family !== 0 && block.check(plain, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
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

/** `#RGB` or `#RRGGBB`. */
export function colour(): Field<string | null> {
  return {
    fallback: null,
    read: value => {
      if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)) throw `"${value}" is not a colour such as #1a2b3c`;
      return value;
    },
  };
}

/** A list whose items are each one of the values. */
export function choices<const T extends string>(
  fallback: readonly T[],
  values: readonly T[],
): Field<readonly T[]> {
  return {
    fallback,
    read: value =>
      value
        .split('\n')
        .flatMap(line => line.trim() || [])
        .map(item => {
          const found = values.find(known => known === item);
          if (found === undefined) throw `"${item}" is none of ${values.join(', ')}`;
          return found;
        }),
  };
}
