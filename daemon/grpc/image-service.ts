/** Images and build environments over gRPC. */
import { requireImages } from '../../proto/buildable.ts';
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import { FORMATS, type FormatName, isFormat } from '../../proto/words.ts';
import type { EnvironmentKey, ImageState, InstanceSlice } from '../../workers/job.ts';
import { callerOf } from './caller.ts';
import type { Instances } from './instance-service.ts';
import { type Submitter, submitSpec } from './submit.ts';

export interface ImageServiceDeps {
  readonly instances: Instances;
  readonly submitter: Submitter;
  /** Images as they lie on the disk. */
  images(instance: InstanceSlice): Promise<readonly ImageState[]>;
  /** Names of the formats that images are made for. */
  formats(): readonly string[];
}

export function imageService(deps: ImageServiceDeps): Handlers<'ImageService'> {
  const { instances, submitter, images, formats } = deps;
  const format = (request: { instance: string; format: string }): FormatName => {
    const known = instances.get(request.instance).pipelines.some(it => it.format === request.format);
    if (known && isFormat(request.format)) return request.format;
    throw new Fault('not_found', 'not-found', `the format "${request.format}" is in no pipeline`);
  };
  const environment = (
    request: { instance: string } & Record<keyof EnvironmentKey, string>,
  ): EnvironmentKey => checkEnvironment(instances.get(request.instance), request, format(request));
  return {
    listImages: async ({ instance }) => ({
      images: (await images(instances.get(instance))).map(image => ({
        ...image,
        environments: [...image.environments],
      })),
    }),
    createImage: async (request, call) => {
      const name = format(request);
      requireImages(name, formats());
      const spec = { type: 'image-creation', format: name, force: request.force } as const;
      return submitSpec(submitter, request.instance, callerOf(call), spec);
    },
    updateImage: async (request, call) =>
      submitSpec(submitter, request.instance, callerOf(call), {
        type: 'image-update',
        format: format(request),
      }),
    createEnvironment: async (request, call) =>
      submitSpec(submitter, request.instance, callerOf(call), {
        type: 'environment-creation',
        ...environment(request),
      }),
    updateEnvironment: async (request, call) =>
      submitSpec(submitter, request.instance, callerOf(call), {
        type: 'environment-update',
        ...environment(request),
      }),
    openShell: async (request, call) => {
      const { term, command } = request;
      const spec =
        request.environment === ''
          ? ({ type: 'image-shell', format: format(request), term, command } as const)
          : ({ type: 'environment-shell', ...environment(request), term, command } as const);
      return submitSpec(submitter, request.instance, callerOf(call), spec, { interactive: true });
    },
  };
}

function checkEnvironment(
  instance: InstanceSlice,
  { environment, architecture }: { environment: string; architecture: string },
  format: FormatName,
): EnvironmentKey {
  const unknown = (what: string): Fault => new Fault('not_found', 'not-found', `${what} is in no pipeline`);
  if (!FORMATS[format].environments) throw new Fault('invalid', 'bad-input', `${format} has no environments`);
  const known = instance.pipelines.some(it => it.format === format && it.environment === environment);
  if (!known) throw unknown(`the ${format} environment "${environment}"`);
  if (!instance.architectures.includes(architecture)) throw unknown(`the architecture "${architecture}"`);
  return { format, environment, architecture };
}
