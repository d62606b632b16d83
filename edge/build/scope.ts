/** What the routes of the build service share: whose instance a path names, and who may go on. */
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { Fault } from '../../proto/fault.ts';
import type { CallOptions } from '../../proto/services.ts';
import { type Action, INSTANCE_NAME } from '../../proto/words.ts';
import type { EdgeSettings } from '../config.ts';
import type { Caller, Control } from '../control/control.ts';
import { bearerOf, bearerOrBasicOf, refuseCrossSite } from '../http/guard.ts';
import { valuesOf } from '../http/headers.ts';
import { canonical, JSON_TYPE, type Json } from '../http/json.ts';
import { Refusal } from '../http/problem.ts';
import type { Frame } from './frame.ts';

export interface BuildDeps {
  readonly control: Control;
  readonly settings: EdgeSettings;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
  /** Aborts when the edge stops: streams that would go on end. */
  readonly stopping: AbortSignal;
  /** The frame of pages. */
  readonly frame: Frame;
  /** Whether `/` is ours; not where another area's pages live there. */
  readonly home: boolean;
}

/** The one instance that is served, or null when paths name theirs. */
export function soleInstance(settings: EdgeSettings): string | null {
  return settings.edge.instance === 'all' ? null : settings.edge.instance;
}

/** Instance of a request. */
export function instanceOf(deps: BuildDeps, request: FastifyRequest): string {
  return soleInstance(deps.settings) ?? parameter(request, 'instance');
}

/** A path parameter of the route; the route has it, so it is there. */
export function parameter(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string>)[name] ?? '';
}

/** A query parameter; undefined when absent. Schemas have refused doubles. */
export function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | undefined>)[name];
  return typeof value === 'string' ? value : undefined;
}

/** How a daemon's call is made on behalf of this request. Basic counts where apt and dnf call. */
export function onBehalf(request: FastifyRequest, how: 'bearer' | 'basic' = 'bearer'): CallOptions {
  return { authorization: how === 'basic' ? bearerOrBasicOf(request.raw) : bearerOf(request.raw) };
}

/**
 * First step of a route: credential, policy, instance, in this order and before any parameter or body is looked at.
 * The daemon judges, here by its word on the caller, again when the call itself is made.
 */
export function permit(
  deps: BuildDeps,
  action: Action,
  how: 'bearer' | 'basic' = 'bearer',
): onRequestAsyncHookHandler {
  return async request => {
    const { authorization } = onBehalf(request, how);
    if (request.method !== 'GET' && request.method !== 'HEAD') refuseCrossSite(request.raw);
    const instance = instanceOf(deps, request);
    if (!INSTANCE_NAME.test(instance)) throw new Refusal(404, 'there is no such instance');
    const caller = await callerOf(deps, instance, authorization, action);
    if (!caller.actions.has(action)) throw forbidden(caller, action);
  };
}

/** The daemon's word on a caller. Where the instance is not there, who may not ask at all hears that first. */
async function callerOf(
  deps: BuildDeps,
  instance: string,
  authorization: string | undefined,
  action: Action,
): Promise<Caller> {
  try {
    return await deps.control.who(instance, authorization);
  } catch (error) {
    const isAbsent = error instanceof Fault && error.kind === 'not_found';
    if (!isAbsent || authorization !== undefined) throw error;
    // The policy is the same everywhere, so any instance tells what anonymous callers may do.
    const { instances } = await deps.control.instances.listInstances({});
    const caller = instances[0] ? await deps.control.who(instances[0].id, undefined) : null;
    if (caller && !caller.actions.has(action)) throw forbidden(caller, action);
    throw error;
  }
}

function forbidden(caller: Caller, action: Action): Refusal {
  return new Refusal(403, `${caller.login} has no role that permits ${action}`);
}

/** Sends canonical JSON. */
export function sendJson(reply: FastifyReply, value: Json): FastifyReply {
  // Bytes, so that no charset is added to the type.
  return reply
    .header('content-type', JSON_TYPE)
    .header('cache-control', reply.getHeader('cache-control') ?? 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .send(Buffer.from(canonical(value), 'latin1'));
}

/** The `Idempotency-Key` header, empty without one. Throws 400 for what can't be kept. */
export function idempotencyKey(request: FastifyRequest): string {
  const [key, ...more] = valuesOf(request.raw, 'idempotency-key');
  if (key === undefined) return '';
  if (more.length > 0) throw new Refusal(400, 'there is more than one Idempotency-Key header');
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new Refusal(400, 'the Idempotency-Key must be 1 to 255 printable ASCII characters');
  }
  return key;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The task that a path names; in whatever case it was written. What is no uuid is no task. */
export function taskOf(request: FastifyRequest): string {
  const id = parameter(request, 'task').toLowerCase();
  if (!UUID.test(id)) throw new Refusal(404, 'there is no such task');
  return id;
}

/** Options of a change come in the query or in a JSON body, which may be missing; the route sees one body. */
export async function mergeOptions(request: FastifyRequest): Promise<void> {
  const body = request.body;
  if (body !== undefined && body !== null && (typeof body !== 'object' || Array.isArray(body))) {
    throw new Refusal(400, 'the body must be a JSON object');
  }
  request.body = { ...(request.query as object), ...(body as object | null | undefined) };
}

/** An option of the merged body. */
export function optionOf<T>(request: FastifyRequest, name: string): T | undefined {
  return (request.body as Record<string, T | undefined>)[name];
}

/** What every change of a registry names: the place, and the key under which it is submitted. */
export function changeOf(
  deps: BuildDeps,
  request: FastifyRequest,
): { place: ReturnType<typeof placeOf>; idempotencyKey: string } {
  return { place: placeOf(deps, request), idempotencyKey: idempotencyKey(request) };
}

/** Address below which an instance's pages and files lie: `/` or `/{instance}/`. */
export function baseOf(deps: BuildDeps, instance: string): string {
  return soleInstance(deps.settings) === null ? `/${encodeURIComponent(instance)}/` : '/';
}

/** Characters of a name in a path; no format, distribution or derivative has more. */
const MAX_NAME = 256;

/** A name in the path, empty when the route has none: what can't be a name is not there, and reaches no lookup. */
export function namedOf(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name];
  if (value === undefined) return '';
  if (value === '' || value.length > MAX_NAME || /[\0-\x20\x7f/\\]/.test(value)) {
    throw new Refusal(404, `there is no such ${name}`);
  }
  return value;
}

/** The part of the registry that a path names, as far as it goes. */
export function placeOf(
  deps: BuildDeps,
  request: FastifyRequest,
): { instance: string; format: string; distribution: string; derivative: string } {
  return {
    instance: instanceOf(deps, request),
    format: namedOf(request, 'format'),
    distribution: namedOf(request, 'distribution'),
    derivative: namedOf(request, 'derivative'),
  };
}
