/** The session store in Redis 6.2 or newer, by its own protocol (RESP 2): six commands need no library. */
import { connect, type Socket } from 'node:net';
import { Fault } from '../../proto/fault.ts';
import { MAX_LISTED, type RecordKey, type SessionStore } from './store.ts';

type Reply = Buffer | number | null | Error | readonly Reply[];

const CONNECT_TIMEOUT = 3000;
/** Milliseconds for one command. */
const COMMAND_TIMEOUT = 5000;
/** Most commands on their way. */
const MAX_PENDING = 10_000;
/** Largest answer that is collected, in bytes. */
const MAX_REPLY = 16 * 1024 * 1024;
const PREFIX = 'rackwright:gateway';

export class RedisStore implements SessionStore {
  private readonly where: URL;
  private socket: Socket | null = null;
  private readonly pending: { resolve(reply: Reply): void; reject(error: Error): void }[] = [];
  private buffered: Buffer = Buffer.alloc(0);

  constructor(where: URL) {
    this.where = where;
  }

  async put(key: RecordKey, value: Uint8Array, life: number): Promise<void> {
    await this.command('SET', keyName(key), value, 'PX', milliseconds(life));
    if (key.group !== undefined) {
      // The group's own set names its members; it lives as long as its youngest.
      const group = groupName(key.kind, key.group);
      await this.command('SADD', group, key.id);
      await this.command('PEXPIRE', group, milliseconds(Math.max(life, 400 * 86_400)));
    }
  }

  async claim(key: RecordKey, life: number): Promise<boolean> {
    return (await this.command('SET', keyName(key), '', 'PX', milliseconds(life), 'NX')) !== null;
  }

  async read(key: RecordKey): Promise<Buffer | null> {
    return asBuffer(await this.command('GET', keyName(key)));
  }

  async take(key: RecordKey): Promise<Buffer | null> {
    return asBuffer(await this.command('GETDEL', keyName(key)));
  }

  async remove(key: RecordKey): Promise<void> {
    await this.command('DEL', keyName(key));
    if (key.group !== undefined) await this.command('SREM', groupName(key.kind, key.group), key.id);
  }

  async list(kind: RecordKey['kind'], group: string): Promise<string[]> {
    const members = await this.command('SMEMBERS', groupName(kind, group));
    const ids = Array.isArray(members) ? members.map(String) : [];
    const living: string[] = [];
    for (const id of ids.slice(0, MAX_LISTED)) {
      if (await this.command('EXISTS', keyName({ kind, group, id }))) living.push(id);
      else await this.command('SREM', groupName(kind, group), id);
    }
    return living;
  }

  /** Redis forgets by itself. */
  async sweep(): Promise<void> {}

  close(): void {
    this.socket?.destroy();
  }

  private async command(...words: readonly (string | Uint8Array)[]): Promise<Reply> {
    if (this.pending.length >= MAX_PENDING) throw unavailable('too many requests wait for it');
    this.socket ??= this.open();
    const reply = await this.send(this.socket, words);
    if (reply instanceof Error) throw unavailable(reply.message);
    return reply;
  }

  private send(socket: Socket, words: readonly (string | Uint8Array)[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), COMMAND_TIMEOUT);
      this.pending.push({
        resolve: reply => {
          clearTimeout(timer);
          resolve(reply);
        },
        reject: error => {
          clearTimeout(timer);
          reject(unavailable(error.message));
        },
      });
      socket.write(encode(words));
    });
  }

  private open(): Socket {
    const { hostname, port, password, username, pathname } = this.where;
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) });
    socket.unref();
    socket.setNoDelay(true);
    const late = setTimeout(() => socket.destroy(new Error('connection timed out')), CONNECT_TIMEOUT);
    let failure = new Error('connection closed');
    socket.once('connect', () => clearTimeout(late));
    socket.on('data', chunk => this.receive(chunk));
    socket.once('error', error => {
      failure = error;
    });
    socket.once('close', () => {
      clearTimeout(late);
      if (this.socket !== socket) return;
      this.socket = null;
      this.buffered = Buffer.alloc(0);
      for (const waiting of this.pending.splice(0)) waiting.reject(failure);
    });
    this.buffered = Buffer.alloc(0);
    const ignore = (): void => {};
    // Refused credentials show in the next command's own error.
    if (password !== '') {
      const user = username === '' ? [] : [decodeURIComponent(username)];
      this.send(socket, ['AUTH', ...user, decodeURIComponent(password)]).then(ignore, ignore);
    }
    const database = pathname.slice(1);
    if (database !== '') this.send(socket, ['SELECT', database]).then(ignore, ignore);
    return socket;
  }

  private receive(chunk: Buffer): void {
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    if (this.buffered.length > MAX_REPLY) {
      this.socket?.destroy(new Error('the answer is too large'));
      return;
    }
    for (;;) {
      const parsed = parse(this.buffered, 0);
      if (!parsed) return;
      this.buffered = this.buffered.subarray(parsed.end);
      this.pending.shift()?.resolve(parsed.reply);
    }
  }
}

function encode(words: readonly (string | Uint8Array)[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = Buffer.from(word as Uint8Array);
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}

/** One reply from `at`; null while it is incomplete. */
function parse(bytes: Buffer, at: number): { reply: Reply; end: number } | null {
  const line = bytes.indexOf('\r\n', at);
  if (line < 0) return null;
  const text = bytes.toString('utf8', at + 1, line);
  const end = line + 2;
  const count = Number(text);
  switch (String.fromCharCode(bytes[at] ?? 0)) {
    case '+':
      return { reply: Buffer.from(text), end };
    case '-':
      return { reply: new Error(text), end };
    case ':':
      return { reply: count, end };
    case '$':
      if (count < 0) return { reply: null, end };
      if (bytes.length < end + count + 2) return null;
      return { reply: Buffer.from(bytes.subarray(end, end + count)), end: end + count + 2 };
    case '*':
      return parseArray(bytes, end, count);
    default:
      return { reply: new Error('not a Redis answer'), end: bytes.length };
  }
}

function parseArray(bytes: Buffer, at: number, count: number): { reply: Reply; end: number } | null {
  const items: Reply[] = [];
  let end = at;
  for (let left = count; left > 0; left -= 1) {
    const item = parse(bytes, end);
    if (!item) return null;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: count < 0 ? null : items, end };
}

function asBuffer(reply: Reply): Buffer | null {
  return Buffer.isBuffer(reply) ? reply : null;
}

function keyName({ kind, group, id }: RecordKey): string {
  return [PREFIX, kind, ...(group === undefined ? [] : [group]), id].join(':');
}

function groupName(kind: string, group: string): string {
  return `${PREFIX}:${kind}:group:${group}`;
}

function milliseconds(seconds: number): string {
  return String(Math.max(1, Math.ceil(seconds * 1000)));
}

function unavailable(reason: string): Fault {
  return new Fault('unavailable', 'unreachable', `the session store can't be reached: ${reason}`);
}
