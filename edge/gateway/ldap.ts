/** The connection to an LDAP directory; the only file that knows ldapts. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Client, InvalidCredentialsError, NoSuchObjectError, SizeLimitExceededError } from 'ldapts';
import { errorCode } from '../../proto/fault.ts';

/** A failure of the directory or of its settings, worded as the check utility prints it. */
export class DirectoryError extends Error {
  readonly trouble: 'unreachable' | 'refused' | 'settings' | 'limit';

  constructor(cause: 'unreachable' | 'refused' | 'settings' | 'limit', message: string) {
    super(message);
    this.name = 'DirectoryError';
    this.trouble = cause;
  }
}

/** An entry with attribute names in lower case and all values as lists. */
export interface LdapEntry {
  readonly dn: string;
  texts(attribute: string): readonly string[];
  bytes(attribute: string): Buffer | null;
}

export interface ConnectionSettings {
  readonly uri: string;
  readonly cacert: string | null;
  readonly starttls: boolean;
}

/** Told of every request: what the check utility's `--debug` prints. Never a password. */
export type Trace = (flag: 'ldap' | 'tls', sentence: string) => void;

const CONNECT_TIMEOUT = 5000;
/** Milliseconds for one operation; a page of a search is one. */
const OPERATION_TIMEOUT = 10_000;
/** Entries of a page (RFC 2696). */
const PAGE = 1000;
/** Most entries of one search. */
const MAX_ENTRIES = 1_000_000;
const BINARY = ['objectSid'];
/** Result codes (RFC 4511, appendix A): constraintViolation, inappropriateAuthentication, unwillingToPerform. */
const REFUSED_ACCOUNT = [19, 48, 53];

export class Ldap {
  private readonly client: Client;
  private readonly settings: ConnectionSettings;
  private readonly trace: Trace;

  private constructor(client: Client, settings: ConnectionSettings, trace: Trace) {
    this.client = client;
    this.settings = settings;
    this.trace = trace;
  }

  /** Connects, by TLS where it is configured. Throws DirectoryError. */
  static async open(settings: ConnectionSettings, trace: Trace): Promise<Ldap> {
    const { hostname } = new URL(settings.uri);
    const host = hostname.replace(/^\[|\]$/g, '') || 'localhost';
    const tls = {
      ...(settings.cacert === null ? {} : { ca: [readFileSync(settings.cacert)] }),
      rejectUnauthorized: true,
      host,
      // An address can't be a server name; its certificate is compared with `host`.
      ...(isIP(host) === 0 ? { servername: host } : {}),
    };
    const secure = settings.uri.startsWith('ldaps:');
    const client = new Client({
      url: settings.uri,
      connectTimeout: CONNECT_TIMEOUT,
      timeout: OPERATION_TIMEOUT,
      strictDN: false,
      ...(secure ? { tlsOptions: tls } : {}),
    });
    const ldap = new Ldap(client, settings, trace);
    if (settings.starttls) await ldap.startTls(tls);
    return ldap;
  }

  private async startTls(tls: object): Promise<void> {
    this.trace('tls', `${this.settings.uri}: StartTLS`);
    try {
      await this.client.startTLS(tls);
    } catch (error) {
      await this.close();
      if (isNetwork(error)) throw this.unreachable(error);
      throw new DirectoryError(
        'unreachable',
        `Unable to connect to LDAP server with STARTTLS: ${reason(error)}`,
      );
    }
  }

  /**
   * False when the directory refuses the password, and for a user's own account also when it refuses that: locked ones
   * are `constraintViolation` for some servers and `unwillingToPerform` for others, ones without a password
   * `inappropriateAuthentication`. Of a service account these tell of a fault in the settings.
   */
  async bind(dn: string, password: string, whose: 'user' | 'service'): Promise<boolean> {
    this.trace('ldap', `bind dn="${dn}"`);
    this.refuseClearText();
    try {
      await this.client.bind(dn, password);
      return true;
    } catch (error) {
      // An invalid DN is as wrong as an unknown one.
      const { code } = error as { code?: number };
      this.trace('ldap', `bind dn="${dn}": ${reason(error)}`);
      if (error instanceof InvalidCredentialsError || code === 34 || code === 32) return false;
      if (whose === 'user' && REFUSED_ACCOUNT.includes(code ?? 0)) return false;
      throw this.describe(error);
    }
  }

  /** All entries below a base, page by page; null when the base does not exist. */
  async search(base: string, filter: string, attributes: readonly string[]): Promise<LdapEntry[] | null> {
    this.refuseClearText();
    const flat = [...new Set(attributes)];
    const request = `search base="${base}" scope=sub filter=${filter} attributes=${flat.join(',')}`;
    try {
      const { searchEntries } = await this.client.search(base, {
        scope: 'sub',
        filter,
        attributes: flat,
        paged: { pageSize: PAGE },
        explicitBufferAttributes: BINARY,
      });
      this.trace('ldap', `${request}: ${searchEntries.length} entries`);
      if (searchEntries.length > MAX_ENTRIES) throw new SizeLimitExceededError();
      return searchEntries.map(wrap);
    } catch (error) {
      this.trace('ldap', `${request}: ${reason(error)}`);
      if (error instanceof NoSuchObjectError) return null;
      throw this.describe(error);
    }
  }

  async close(): Promise<void> {
    await this.client.unbind().catch(() => {});
  }

  /** ldapts connects anew by itself, and then without StartTLS: what is cut stays cut. */
  private refuseClearText(): void {
    if (this.settings.starttls && !this.client.isConnected) {
      throw new DirectoryError(
        'unreachable',
        `LDAP server ${this.settings.uri} is unreachable: connection lost`,
      );
    }
  }

  private describe(error: unknown): DirectoryError {
    if (error instanceof SizeLimitExceededError) {
      return new DirectoryError('limit', 'LDAP server size limit exceeded');
    }
    const { code } = error as { code?: unknown };
    if (typeof code === 'number') {
      return new DirectoryError('refused', `LDAP server ${this.settings.uri} refused: ${reason(error)}`);
    }
    return this.unreachable(error);
  }

  private unreachable(error: unknown): DirectoryError {
    const why = reason(error);
    return new DirectoryError(
      'unreachable',
      `LDAP server ${this.settings.uri} is unreachable${why === '' ? '' : `: ${why}`}`,
    );
  }
}

function wrap(entry: Readonly<Record<string, unknown>>): LdapEntry {
  const values = new Map<string, readonly unknown[]>();
  for (const [name, value] of Object.entries(entry)) values.set(name.toLowerCase(), [value].flat());
  const find = (attribute: string): readonly unknown[] => values.get(attribute.toLowerCase()) ?? [];
  return {
    dn: String(entry.dn),
    texts: attribute =>
      find(attribute).filter(value => typeof value === 'string' && value !== '') as string[],
    bytes: attribute => find(attribute).find(value => Buffer.isBuffer(value)) ?? null,
  };
}

function isNetwork(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'].includes(
    errorCode(error instanceof AggregateError ? error.errors[0] : error),
  );
}

/** One line without the hex codes that ldapts adds. */
function reason(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const text = inner instanceof Error ? inner.message || inner.name : String(inner);
  return text
    .replace(/\s*Code: 0x[0-9a-f]+\s*$/i, '')
    .replace(/\s+/g, ' ')
    .trim();
}
