/** RegistryService: reads of the catalogue, and changes of a registry as tasks. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { DescribeArtifactResponse } from '../../proto/types/rackwright/v1/DescribeArtifactResponse.ts';
import type { RetentionRule__Output } from '../../proto/types/rackwright/v1/RetentionRule.ts';
import type { CatalogueEntry, Retention } from '../../workers/job.ts';
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
import { uploadMethods } from './registry-upload.ts';

/** Artifacts in one message: some 100 bytes each, far below the limit of a message. */
const PAGE = 1000;
/** Files and changes of a description in one message; paths may be long. */
const PIECE = 4000;
/** Versions, and seconds, that a rule may have: those of an instance's file. */
const MAX_LAST = 999_999;
const MAX_NEWER = 100 * 365 * 86_400;
/** Answers of a search, at most and unless told. */
const MAX_MATCHES = 200_000;

export function registryService(deps: RegistryDependencies): Handlers<'RegistryService'> {
  return {
    ...listMethods(deps),
    ...artifactMethods(deps),
    ...stateMethods(deps),
    ...planMethods(deps),
    ...uploadMethods(deps),
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
      for (const { place, artifacts } of reads.search(id, request.contains, limit)) {
        const at = { instance: id, ...place };
        yield { matches: artifacts.map(artifact => ({ place: at, artifact })) };
        await breath();
        if (call.signal.aborted) return;
      }
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

function planMethods(deps: RegistryDependencies): Methods<'planRetention'> {
  return {
    planRetention: async function* (request, call) {
      const { id, place } = placeOf(deps, request.place);
      const plan = await deps.plan(deps.instance(id), place, request.rule && checkRule(request.rule));
      for (let at = 0; at === 0 || at < plan.outdated.length; at += PAGE) {
        const outdated = plan.outdated
          .slice(at, at + PAGE)
          .map(({ name, architecture, version, size, published, newerVersions, snapshots }) => ({
            ...{ published, newerVersions, snapshots: [...snapshots] },
            artifact: { name, architecture, version, size },
          }));
        yield { rule: at === 0 ? plan.rule : null, outdated };
        await breath();
        if (call.signal.aborted) return;
      }
    },
  };
}

/** A rule as the instance's file could have it. Throws `bad-input`. */
function checkRule({ last, newer }: RetentionRule__Output): Retention {
  if (last >= 0 && last <= MAX_LAST && newer >= 0 && newer <= MAX_NEWER) return { last, newer };
  throw new Fault('invalid', 'bad-input', `a retention keeps 0 to ${MAX_LAST} versions, for up to 100 years`);
}

/** Lets other calls have their turn between the pages of a long answer. */
function breath(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
