/**
 * Whose call it is and whether it may be made: the guard in front of every service.
 *
 * A service is plain handlers; `guard()` checks each call before its handler runs and hands the caller on with the call.
 */
import type { PackageDefinition } from '@grpc/proto-loader';
import { Fault } from '../../proto/fault.ts';
import type { CallContext, Handlers, ServiceName } from '../../proto/services.ts';
import { ACTIONS, type Action } from '../../proto/words.ts';
import { PERMISSIONS, type Permission } from './permissions.ts';

/** Which socket a call came in by. */
export type Door = 'control' | 'edge' | 'tcp';

/** Somebody who calls. */
export interface Caller {
  /** `anonymous` without a credential. */
  readonly login: string;
  readonly door: Door;
  readonly roles: readonly string[];
  /** What the policy lets them do; everything on the control socket. */
  readonly actions: readonly Action[];
}

/** A call that was let through. */
export interface AdmittedCall extends CallContext {
  readonly caller: Caller;
}

/** Finds out who somebody is. */
export interface Identities {
  /**
   * The login that a token of that instance proves, with the groups it names; of any instance where a call names none.
   * Throws `forbidden` for a bad one and `not_found` when the instance has no key.
   */
  verify(instance: string | null, token: string): Promise<{ login: string; groups: readonly string[] }>;
  /** Roles and actions under the policy in force; login null for who sent no credential. */
  allowed(
    login: string | null,
    groups: readonly string[],
  ): Promise<{ readonly roles: readonly string[]; readonly actions: readonly Action[] }>;
  /** The login that stands for a client certificate's name; null when none does. */
  loginOf(certificate: string): string | null;
  isInstance(instance: string): boolean;
}

/** Logins that a client may name itself on the control socket: what system accounts and tokens are called. */
const LOGIN = /^[^\p{C}\s]{1,255}$/u;

type AnyHandler = (request: unknown, call: CallContext) => unknown;

/** The handlers of a service behind the check of who calls. Requests are looked at for their instance. */
export function guard<S extends ServiceName>(
  protocol: PackageDefinition,
  service: S,
  door: Door,
  handlers: Handlers<S>,
  identities: Identities,
): Handlers<S> {
  const guarded: Record<string, AnyHandler> = {};
  for (const [method, handler] of Object.entries(handlers as Record<string, AnyHandler>)) {
    const permission = PERMISSIONS[`${service}.${method}`];
    if (permission === undefined) throw new TypeError(`${service}.${method} has no permission`);
    guarded[method] = guardMethod(
      handler,
      answersStream(protocol, service, method),
      permission,
      door,
      identities,
    );
  }
  return guarded as Handlers<S>;
}

function answersStream(protocol: PackageDefinition, service: string, method: string): boolean {
  const shapes = protocol[`rackwright.v1.${service}`] as
    | Record<string, { responseStream: boolean }>
    | undefined;
  return shapes?.[`${method[0]?.toUpperCase()}${method.slice(1)}`]?.responseStream ?? false;
}

function guardMethod(
  handler: AnyHandler,
  stream: boolean,
  permission: Permission,
  door: Door,
  who: Identities,
): AnyHandler {
  const enter = async (request: unknown, call: CallContext) => {
    const { first, requests } = await peek(request);
    const caller = await admit(instanceOf(first), call, permission, door, who);
    await admitOrigin(first, caller, call, who);
    return handler(requests, { ...call, caller } as AdmittedCall);
  };
  return stream
    ? async function* (request, call) {
        yield* (await enter(request, call)) as AsyncIterable<unknown>;
      }
    : enter;
}

/** The first message of a call, and all of them again for the handler. */
async function peek(request: unknown): Promise<{ first: unknown; requests: unknown }> {
  const stream = request as AsyncIterable<unknown>;
  if (typeof stream?.[Symbol.asyncIterator] !== 'function') return { first: request, requests: request };
  const iterator = stream[Symbol.asyncIterator]();
  const { value, done } = await iterator.next();
  if (done) throw new Fault('invalid', 'bad-input', 'the stream is empty');
  const again = async function* (): AsyncGenerator<unknown> {
    yield value;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  };
  return { first: value, requests: again() };
}

interface Named {
  readonly instance?: unknown;
  readonly place?: Named | null;
  /** Where a promotion comes from. */
  readonly from?: Named | string | null;
  readonly request?: Named | null;
}

/** The instance that a request names, itself or in its place or first part; null when it names none. */
function instanceOf(request: unknown): string | null {
  const named = request as Named;
  const instance = [named, named.place, named.request, named.request?.place].find(
    part => typeof part?.instance === 'string',
  )?.instance;
  return typeof instance === 'string' ? instance : null;
}

/** Throws `no-permission` for a caller who lacks it. */
export function requirePermission({ login, door, actions }: Caller, permission: Permission): void {
  if (permission === 'control' && door !== 'control') {
    throw new Fault('forbidden', 'no-permission', 'this is for the local control socket only');
  }
  if (permission !== 'none' && permission !== 'control' && !actions.includes(permission)) {
    const message = `${login} has no role that permits ${permission}`;
    throw new Fault('forbidden', 'no-permission', message, { action: permission });
  }
}

/** Checks in the documented order: credential, policy, instance. */
async function admit(
  instance: string | null,
  call: CallContext,
  permission: Permission,
  door: Door,
  who: Identities,
): Promise<Caller> {
  const caller = await identify(instance, call, door, who);
  requirePermission(caller, permission);
  if (instance !== null && !who.isInstance(instance)) {
    throw new Fault('not_found', 'not-found', `there is no instance "${instance}"`);
  }
  return caller;
}

/**
 * What a request takes over from another instance must be open to its caller there: as whom their credential proves
 * them there, and where it proves nothing as anonymous.
 */
async function admitOrigin(
  request: unknown,
  caller: Caller,
  call: CallContext,
  who: Identities,
): Promise<void> {
  const { from } = request as Named;
  const instance = typeof from === 'object' ? from?.instance : undefined;
  if (typeof instance !== 'string') return;
  const there =
    instance === instanceOf(request) || call.metadata.authorization === undefined
      ? caller
      : await identify(instance, call, caller.door, who).catch(error => {
          if (error instanceof Fault && /^(forbidden|not_found)$/.test(error.kind))
            return anonymous(caller.door, who);
          throw error;
        });
  if (!there.actions.includes('view-registry')) {
    const message = `${there.login} has no role that permits view-registry of instance ${instance}`;
    throw new Fault('forbidden', 'no-permission', message, { action: 'view-registry' });
  }
  if (!who.isInstance(instance)) {
    throw new Fault('not_found', 'not-found', `there is no instance "${instance}"`);
  }
}

async function anonymous(door: Door, who: Identities): Promise<Caller> {
  return { login: 'anonymous', door, ...(await who.allowed(null, [])) };
}

async function identify(
  instance: string | null,
  { metadata, certificateName }: CallContext,
  door: Door,
  who: Identities,
): Promise<Caller> {
  if (door === 'control') {
    const login = metadata['rackwright-login'] ?? 'root';
    if (!LOGIN.test(login)) throw new Fault('invalid', 'bad-input', 'the login is not a name');
    return { login, door, roles: [], actions: ACTIONS };
  }
  if (metadata.authorization !== undefined) {
    const token = bearer(metadata.authorization);
    const { login, groups } = await who.verify(instance, token);
    return { login, door, ...(await who.allowed(login, groups)) };
  }
  if (door === 'tcp') {
    const login = certificateName === null ? null : who.loginOf(certificateName);
    if (login === null) {
      throw new Fault(
        'forbidden',
        'no-permission',
        `no login stands for the certificate "${certificateName}"`,
      );
    }
    return { login, door, ...(await who.allowed(login, [])) };
  }
  return anonymous(door, who);
}

/** The token of an Authorization header (RFC 6750). */
function bearer(header: string): string {
  const match = /^Bearer +([\w~+/.=-]+)$/i.exec(header.trim());
  if (!match?.[1])
    throw new Fault('forbidden', 'token-invalid', 'the Authorization header has no Bearer token');
  return match[1];
}

/** Who made a call that was let through. */
export function callerOf(call: CallContext): Caller {
  const { caller } = call as Partial<AdmittedCall>;
  if (!caller) throw new TypeError('a handler was called without its guard');
  return caller;
}
