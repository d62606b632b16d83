/** RegistryService: reads of the catalogue, and changes of a registry as tasks. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { ArtifactPlace__Output } from '../../proto/types/rackwright/v1/ArtifactPlace.ts';
import type { DescribeArtifactResponse } from '../../proto/types/rackwright/v1/DescribeArtifactResponse.ts';
import type { CatalogueEntry } from '../../workers/job.ts';
import { changeMethods, stateChangeMethods } from './registry-changes.ts';
import {
  absent,
  keyOf,
  type Listed,
  type Methods,
  nameOf,
  placeOf,
  type RegistryDependencies,
} from './registry-place.ts';

/** Artifacts in one message: some 100 bytes each, far below the limit of a message. */
const PAGE = 1000;
/** Files and changes of a description in one message; paths may be long. */
const PIECE = 4000;
/** Answers of a search, at most and unless told. */
const MAX_MATCHES = 200_000;

export function registryService(deps: RegistryDependencies): Handlers<'RegistryService'> {
  return {
    ...listMethods(deps),
    ...artifactMethods(deps),
    ...stateMethods(deps),
    ...changeMethods(deps),
    ...stateChangeMethods(deps),
  };
}

function listMethods({
  reads,
  instance,
}: RegistryDependencies): Methods<'listFormats' | 'listDistributions' | 'listDerivatives'> {
  return {
    listFormats: async request => ({ formats: reads.formats(instance(request.instance).id) }),
    listDistributions: async request => {
      const slice = instance(request.instance);
      const distributions = reads.distributions(slice.id, request.format);
      const known = slice.pipelines.some(pipeline => pipeline.format === request.format);
      if (distributions.length === 0 && !known) throw absent(`format ${request.format}`, slice.id);
      return { distributions };
    },
    listDerivatives: async request => {
      const { id } = instance(request.instance);
      const derivatives = reads.derivatives(id, request.format, request.distribution);
      if (derivatives.length === 0) throw absent(`distribution ${request.distribution}`, id);
      return { derivatives };
    },
  };
}

function artifactMethods(
  deps: RegistryDependencies,
): Methods<'listArtifacts' | 'describeArtifact' | 'searchArtifacts'> {
  const { reads, instance } = deps;
  return {
    listArtifacts: async function* (request, call) {
      const { id, place } = placeOf(deps, request.place);
      if (!reads.isPublished(id, place)) throw absent(nameOf(place), id);
      let left = request.limit > 0 ? request.limit : Number.POSITIVE_INFINITY;
      let after = request.after;
      do {
        const { artifacts, next } = reads.list(id, place, {
          contains: request.contains,
          after,
          limit: Math.min(left, PAGE),
        });
        yield { artifacts: [...artifacts], next };
        left -= artifacts.length;
        after = next;
        await breath();
      } while (after !== '' && left > 0 && !call.signal.aborted);
    },
    describeArtifact: async function* (request) {
      const { id, place } = placeOf(deps, request.place);
      const found = reads.describe(id, place, request);
      if (!found) throw absent(`${request.name} (${request.architecture})`, `${id}, ${nameOf(place)}`);
      yield* pieces(found);
    },
    searchArtifacts: async function* (request, call) {
      const { id } = instance(request.instance);
      if (request.contains === '') throw new Fault('invalid', 'bad-input', 'the text to search for is empty');
      const limit = request.limit > 0 ? Math.min(request.limit, MAX_MATCHES) : MAX_MATCHES;
      let matches: { place: ArtifactPlace__Output; artifact: Listed }[] = [];
      for (const found of reads.search(id, request.contains, limit)) {
        const { format, distribution, derivative, ...artifact } = found;
        matches.push({ place: { instance: id, format, distribution, derivative }, artifact });
        if (matches.length < PAGE) continue;
        yield { matches };
        matches = [];
        await breath();
        if (call.signal.aborted) return;
      }
      yield { matches };
    },
  };
}

/** A description in pieces: the head first, then more of the long lists. */
function* pieces(found: {
  entry: CatalogueEntry;
  source: Listed | null;
  binaries: Listed[];
}): Generator<DescribeArtifactResponse> {
  const { entry, source, binaries } = found;
  const { name, architecture, version, size } = entry;
  const artifact = { name, architecture, version, size };
  const changelog = entry.changelog.map(one => ({ ...one, changes: [...one.changes] }));
  yield { part: { artifact, source, binaries, changelog: changelog.slice(0, PIECE), content: [] } };
  for (let at = PIECE; at < changelog.length; at += PIECE) {
    yield { part: { changelog: changelog.slice(at, at + PIECE) } };
  }
  for (let at = 0; at < entry.content.length; at += PIECE) {
    yield { part: { content: entry.content.slice(at, at + PIECE) } };
  }
}

function stateMethods(deps: RegistryDependencies): Methods<'listGenerations' | 'compareGenerations'> {
  const { states } = deps;
  return {
    listGenerations: async request => {
      const { id, key } = keyOf(deps, request.place);
      const generations = states.kept(id, key).map(one => ({
        ...one,
        superseded: one.superseded ?? 0,
        snapshots: [...one.snapshots],
      }));
      return { generations };
    },
    compareGenerations: async function* (request, call) {
      const { id, key } = keyOf(deps, request.place);
      const { format, distribution } = key;
      let differences = [];
      for (const found of states.compare(id, key, request.from || null, request.to || null)) {
        const { derivative, added, name, architecture, version, size } = found;
        differences.push({
          place: { instance: id, format, distribution, derivative },
          artifact: { name, architecture, version, size },
          added,
        });
        if (differences.length < PAGE) continue;
        yield { differences };
        differences = [];
        await breath();
        if (call.signal.aborted) return;
      }
      yield { differences };
    },
  };
}

/** Lets other calls have their turn between the pages of a long answer. */
function breath(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
