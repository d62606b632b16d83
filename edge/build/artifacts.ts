/** One artifact of the registry whole, as the daemon tells it in pieces. */
import type { FastifyRequest } from 'fastify';
import type { ArtifactDescription__Output } from '../../proto/types/rackwright/v1/ArtifactDescription.ts';
import { Refusal } from '../http/problem.ts';
import { type BuildDeps, namedOf, onBehalf, placeOf, queryOf } from './scope.ts';

/** The artifact that a request's path names, put together from the pieces it comes in. */
export async function describeArtifact(
  deps: BuildDeps,
  request: FastifyRequest,
): Promise<ArtifactDescription__Output> {
  const whole: ArtifactDescription__Output = {
    artifact: null,
    source: null,
    binaries: [],
    changelog: [],
    content: [],
  };
  const answers = deps.control.registries.describeArtifact(
    {
      place: placeOf(deps, request),
      architecture: namedOf(request, 'architecture'),
      name: namedOf(request, 'artifact'),
      version: queryOf(request, 'version') ?? '',
    },
    onBehalf(request),
  );
  for await (const { part } of answers) {
    if (!part) continue;
    whole.artifact ??= part.artifact;
    whole.source ??= part.source;
    whole.binaries.push(...part.binaries);
    whole.changelog.push(...part.changelog);
    whole.content.push(...part.content);
  }
  if (!whole.artifact) throw new Refusal(404, `there is no artifact ${namedOf(request, 'artifact')}`);
  return whole;
}
