/** All routes of the build service, with or without the instance's name in the paths. */
import type { FastifyPluginAsync } from 'fastify';
import { careRoutes } from './care.ts';
import { fileRoutes } from './files.ts';
import { imageRoutes } from './images.ts';
import { instanceRoutes, rootRoutes } from './instances.ts';
import { keyringRoutes } from './keyring.ts';
import { instancePages, rootPages } from './pages.ts';
import { registryRoutes } from './registry.ts';
import { type BuildDeps, soleInstance } from './scope.ts';
import { stateRoutes } from './states.ts';
import { staticRoutes } from './static.ts';
import { submitRoutes } from './submit.ts';
import { taskRoutes } from './tasks.ts';
import { tokenRoutes } from './tokens.ts';
import { updateinfoRoutes } from './updateinfo.ts';
import { watchRoutes } from './watch.ts';
import { watchPages } from './watch-page.ts';

export type { BuildDeps } from './scope.ts';

/** The areas below an instance. */
const BELOW_INSTANCE = [
  instanceRoutes,
  registryRoutes,
  stateRoutes,
  careRoutes,
  updateinfoRoutes,
  submitRoutes,
  taskRoutes,
  watchRoutes,
  keyringRoutes,
  imageRoutes,
  tokenRoutes,
  fileRoutes,
  instancePages,
  watchPages,
];

/** The build service's area. */
export function buildRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    const prefix = soleInstance(deps.settings) === null ? '/:instance' : '';
    await app.register(staticRoutes(deps.settings.edge.static));
    await app.register(rootRoutes(deps));
    if (deps.home) await app.register(rootPages(deps));
    for (const routes of BELOW_INSTANCE) await app.register(routes(deps), { prefix });
  };
}
