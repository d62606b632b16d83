/** Instances and their pipelines over gRPC. */
import { Fault } from '../../proto/fault.ts';
import type { Limits } from '../../proto/limits.ts';
import type { Handlers } from '../../proto/services.ts';
import type { InstanceSlice } from '../../workers/job.ts';

/** Instances as their files define them. */
export interface Instances {
  all(): readonly InstanceSlice[];
  /** Throws `not_found`. */
  get(id: string): InstanceSlice;
}

/** `limitsOf` tells the limits of an instance's next task. */
export function instanceService(
  instances: Instances,
  limitsOf: (instance: InstanceSlice) => Limits,
): Handlers<'InstanceService'> {
  const view = (instance: InstanceSlice) => {
    const { id, name, gpg } = instance;
    return { id, name, userid: `${gpg.name} <${gpg.email}>`, limits: limitsOf(instance) };
  };
  return {
    listInstances: async () => ({ instances: instances.all().map(view) }),
    getInstance: async ({ instance }) => ({ instance: view(instances.get(instance)) }),
    listPipelines: async ({ instance, format, distribution, derivative, environment }) => {
      const { pipelines, extends: parents } = instances.get(instance);
      if (derivative !== '' && derivative !== 'main' && !Object.hasOwn(parents, derivative)) {
        throw new Fault('not_found', 'not-found', `there is no derivative "${derivative}"`);
      }
      const fits = (wanted: string, value: string | null): boolean => wanted === '' || wanted === value;
      return {
        pipelines: pipelines
          .filter(it => fits(format, it.format) && fits(distribution, it.distribution))
          .filter(it => fits(environment, it.environment))
          .filter(it => derivative === '' || it.derivatives.includes(derivative))
          .map(it => ({
            format: it.format,
            distribution: it.distribution,
            environment: it.environment ?? '',
            derivatives: [...it.derivatives],
            tag: it.tag ?? '',
          })),
      };
    },
    listArchitectures: async ({ instance }) => ({
      architectures: [...instances.get(instance).architectures],
    }),
  };
}
