/** The table of task types: which file does the work of which. Loaded on first need, so that a thread starts quickly. */
import type { Work } from '../context.ts';
import type { Spec } from '../job.ts';

type Loader<S extends Spec> = () => Promise<Work<S>>;
type Table = { readonly [T in Spec['type']]: Loader<Extract<Spec, { type: T }>> };

const JOBS: Table = {
  build: async () => (await import('./build.ts')).build,
  deletion: async () => (await import('./registry.ts')).deletion,
  registry: async () => (await import('./registry.ts')).registryWork,
  'keyring-creation': async () => (await import('./keyring.ts')).keyringCreation,
  'keyring-renewal': async () => (await import('./keyring.ts')).keyringRenewal,
  'history-purge': async () => (await import('./history.ts')).historyPurge,
  'image-creation': async () => (await import('./images.ts')).imageCreation,
  'image-update': async () => (await import('./images.ts')).imageUpdate,
  'image-shell': async () => (await import('./images.ts')).imageShell,
  'environment-creation': async () => (await import('./images.ts')).environmentCreation,
  'environment-update': async () => (await import('./images.ts')).environmentUpdate,
  'environment-shell': async () => (await import('./images.ts')).environmentShell,
};

/** The work of a task type. */
export async function workFor(type: Spec['type']): Promise<Work> {
  // The table pairs each type with its own spec; a caller passes the spec that it took the type from.
  return (await JOBS[type]()) as Work;
}
