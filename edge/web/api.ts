/** What the pages ask of the gateway. */

/** The public prefix that the gateway filled into the page; empty at the root. */
export const BASE =
  document.querySelector<HTMLMetaElement>('meta[name="rackwright-base"]')?.content.replace(/\/$/, '') ?? '';

/** Somebody signed in, as the page remembers them. */
export interface Identity {
  readonly token: string;
  readonly login: string;
  readonly fullname: string;
  readonly groups: readonly string[];
}

export interface Config {
  readonly AUTHENTICATION: boolean;
  readonly AUTHENTICATION_METHOD?: 'oidc' | 'ldap';
  readonly VERSION: string;
}

export interface Cluster {
  readonly name: string;
  readonly permissions: { readonly roles: readonly string[]; readonly actions: readonly string[] };
  readonly error?: boolean;
  readonly reason?: string;
}

export interface SessionEntry {
  readonly id: string;
  readonly issued: number;
  readonly expires: number;
  readonly method: string;
  readonly agent: string;
  readonly current: boolean;
}

/** A refusal whose message is for the person. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Ask {
  readonly method?: string;
  readonly token?: string;
  readonly body?: object;
}

/** Asks the gateway. Throws Refused with the gateway's own sentence. */
export async function ask<T>(path: string, { method = 'GET', token, body }: Ask = {}): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  let answer: Response;
  try {
    answer = await fetch(BASE + path, {
      method,
      headers,
      credentials: 'include',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Refused(0, 'The server can not be reached. Please check your connection and try again.');
  }
  const text = await answer.text();
  let content: unknown = null;
  try {
    content = JSON.parse(text);
  } catch {
    // Told below, by the status.
  }
  if (answer.ok) return content as T;
  const description = (content as { description?: unknown } | null)?.description;
  throw new Refused(
    answer.status,
    typeof description === 'string' ? description : `The server answered ${answer.status}.`,
  );
}

const KEY = 'rackwright-identity';

/** Who this browser is signed in as, if anybody. */
export function recall(): Identity | null {
  try {
    const identity = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Identity | null;
    return typeof identity?.token === 'string' ? identity : null;
  } catch {
    return null;
  }
}

export function remember(identity: Identity | null): void {
  if (identity === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, JSON.stringify(identity));
}
