/** The versions of the agent's interface: frontends and gateways of 6 and 7 ask alike. */
import type { FastifyRequest } from 'fastify';
import { Fault } from '../../proto/fault.ts';

/** Path below which the routes with a version are. */
export const VERSIONED = '/v:version(\\d+\\.[\\w.]+)';

/** Throws `not_found` for a version that we don't serve. */
export function requireVersion(request: FastifyRequest): void {
  const { version = '' } = request.params as { version?: string };
  if (!/^[67]\./.test(version)) throw new Fault('not_found', 'not-found', `version ${version} is not served`);
}
