/** What the routes of the build service share: whose instance a path names, and who may go on. */
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { CallOptions } from '../../proto/services.ts';
import { type Action, INSTANCE_NAME } from '../../proto/words.ts';
import type { EdgeSettings } from '../config.ts';
import type { Control } from '../control/control.ts';
import { bearerOf, bearerOrBasicOf, refuseCrossSite } from '../http/guard.ts';
import { canonical, JSON_TYPE, type Json } from '../http/json.ts';
import { Refusal } from '../http/problem.ts';

export interface BuildDeps {
  readonly control: Control;
  readonly settings: EdgeSettings;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
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
    const caller = await deps.control.who(instance, authorization);
    if (!caller.actions.has(action)) throw new Refusal(403, `${caller.login} may not ${action}`);
  };
}

/** Sends canonical JSON. */
export function sendJson(reply: FastifyReply, value: Json): FastifyReply {
  // Bytes, so that no charset is added to the type.
  return reply
    .header('content-type', JSON_TYPE)
    .header('cache-control', 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .send(Buffer.from(canonical(value), 'latin1'));
}
