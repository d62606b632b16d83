/** All routes of the build service, with or without the instance's name in the paths. */
import type { FastifyPluginAsync } from 'fastify';
import { instanceRoutes, rootRoutes } from './instances.ts';
import { type BuildDeps, soleInstance } from './scope.ts';

export type { BuildDeps } from './scope.ts';

/** The build service's area. */
export function buildRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    const prefix = soleInstance(deps.settings) === null ? '/:instance' : '';
    await app.register(rootRoutes(deps));
    await app.register(instanceRoutes(deps), { prefix });
  };
}
