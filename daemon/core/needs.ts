/** What a task needs before it can start, and the task that makes it. Pure. */
import type { Reason } from '../../proto/fault.ts';
import { FORMATS } from '../../proto/words.ts';
import type { EnvironmentKey, InstanceSlice, Spec } from '../../workers/job.ts';
import { environmentOf } from './claims.ts';

/** Something of an instance that is made on first need. */
export type Need =
  | { readonly kind: 'keyring' }
  | { readonly kind: 'image'; readonly format: EnvironmentKey['format'] }
  | ({ readonly kind: 'environment' } & EnvironmentKey);

/** All that a task needs, in the order in which it is made. */
export function needsOf(instance: InstanceSlice, spec: Spec): readonly Need[] {
  switch (spec.type) {
    case 'build': {
      const image: Need = { kind: 'image', format: spec.format };
      const environment = environmentOf(instance, spec.format, spec.distribution);
      if (!FORMATS[spec.format].environments || environment === null) return [{ kind: 'keyring' }, image];
      const environments = spec.architectures.map(
        (architecture): Need => ({ kind: 'environment', format: spec.format, environment, architecture }),
      );
      return [{ kind: 'keyring' }, image, ...environments];
    }
    case 'deletion':
    case 'registry':
      return [{ kind: 'keyring' }];
    case 'environment-creation':
    case 'environment-update':
      return [{ kind: 'image', format: spec.format }];
    case 'environment-shell': {
      const { format, environment, architecture } = spec;
      return [
        { kind: 'image', format },
        { kind: 'environment', format, environment, architecture },
      ];
    }
    case 'image-update':
    case 'image-shell':
      return [{ kind: 'image', format: spec.format }];
    default:
      return [];
  }
}

/** The task that makes what is needed. */
export function makerOf(need: Need): Spec {
  switch (need.kind) {
    case 'keyring':
      return { type: 'keyring-creation' };
    case 'image':
      return { type: 'image-creation', format: need.format, force: false };
    case 'environment': {
      const { format, environment, architecture } = need;
      return { type: 'environment-creation', format, environment, architecture };
    }
  }
}

/** Words for what is needed. */
export function describeNeed(need: Need): string {
  switch (need.kind) {
    case 'keyring':
      return 'the signing keyring';
    case 'image':
      return `the ${need.format} image`;
    case 'environment':
      return `the build environment ${need.environment} for ${need.architecture}`;
  }
}

const CAUSES: Readonly<Record<Need['kind'], Reason>> = {
  keyring: 'no-keyring',
  image: 'no-image',
  environment: 'no-environment',
};

/** The cause of a task that failed for want of it. */
export function causeOf(need: Need): Reason {
  return CAUSES[need.kind];
}
