/** RegistryService's changes: each checks what it can at once, then becomes a task. */
import { Fault } from '../../proto/fault.ts';
import type { CallContext } from '../../proto/services.ts';
import type { ArtifactPlace__Output } from '../../proto/types/rackwright/v1/ArtifactPlace.ts';
import type { RegistrySpec, Spec } from '../../workers/job.ts';
import type { AdmittedCall } from './caller.ts';
import { importSource } from './import-source.ts';
import {
  absent,
  keyFrom,
  keyOf,
  type Methods,
  nameOf,
  placeOf,
  type RegistryDependencies,
} from './registry-place.ts';

/** `^…$` of a snapshot's name. */
const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9+._-]{0,62}$/;

interface ChangeRequest {
  readonly place: ArtifactPlace__Output | null;
  readonly idempotencyKey: string;
}

async function submit(
  deps: RegistryDependencies,
  call: CallContext,
  request: ChangeRequest,
  action: RegistrySpec['action'],
  parameters: Readonly<Record<string, string>>,
  refuse: () => void = () => undefined,
): Promise<{ task: string }> {
  const { id, place } = placeOf(deps, request.place);
  const spec: RegistrySpec = { type: 'registry', action, ...place, parameters };
  const user = (call as AdmittedCall).caller.login;
  const check = (): number => {
    refuse();
    return 0;
  };
  return { task: await deps.submit({ instance: id, spec, user, check, key: request.idempotencyKey }) };
}

export function changeMethods(
  deps: RegistryDependencies,
): Methods<
  | 'deleteArtifact'
  | 'importArtifacts'
  | 'verifyRegistry'
  | 'repairRegistry'
  | 'retainArtifacts'
  | 'collectRegistry'
> {
  const { reads } = deps;
  return {
    deleteArtifact: async (request, call) => {
      const { id, place } = placeOf(deps, request.place);
      const { name, architecture, version, idempotencyKey: key } = request;
      if (version === '') throw new Fault('invalid', 'bad-input', 'the version to delete is missing');
      const check = (): number => {
        const found = reads.describe(id, place, { name, architecture, version });
        if (!found) throw absent(`${name} ${version} (${architecture})`, `${id}, ${nameOf(place)}`);
        return found.entry.size;
      };
      const spec: Spec = { type: 'deletion', ...place, artifact: name, architecture, version };
      const user = (call as AdmittedCall).caller.login;
      return { task: await deps.submit({ instance: id, spec, user, check, key }) };
    },
    importArtifacts: async (request, call) => {
      const { suite, components, keys } = request;
      const { door } = (call as AdmittedCall).caller;
      const source = importSource(request.source, door, deps.importRoot());
      return submit(deps, call, request, 'import', {
        ...source,
        ...{ suite, components: components.join(' '), keys },
      });
    },
    verifyRegistry: (request, call) => submit(deps, call, request, 'verification', {}),
    repairRegistry: (request, call) => submit(deps, call, request, 'repair', {}),
    retainArtifacts: (request, call) => submit(deps, call, request, 'retention', {}),
    collectRegistry: (request, call) => submit(deps, call, request, 'collection', {}),
  };
}

export function stateChangeMethods(
  deps: RegistryDependencies,
): Methods<'createSnapshot' | 'deleteSnapshot' | 'promote' | 'rollBack'> {
  const { states } = deps;
  return {
    createSnapshot: async (request, call) => {
      const { id, key } = keyOf(deps, request.place);
      if (!SNAPSHOT_NAME.test(request.name)) {
        throw new Fault('invalid', 'bad-input', `"${request.name}" can't be the name of a snapshot`);
      }
      return submit(deps, call, request, 'snapshot', { name: request.name }, () => {
        if (!states.hasSnapshot(id, key, request.name)) return;
        throw new Fault('conflict', 'already-there', `there is a snapshot "${request.name}" already`);
      });
    },
    deleteSnapshot: async (request, call) => {
      const { id, key } = keyOf(deps, request.place);
      return submit(deps, call, request, 'snapshot', { name: request.name, drop: 'yes' }, () => {
        if (!states.hasSnapshot(id, key, request.name)) throw absent(`snapshot ${request.name}`, id);
      });
    },
    promote: async (request, call) => {
      const from = placeOf(deps, request.from);
      const to = placeOf(deps, request.place);
      if (from.place.format !== to.place.format) {
        throw new Fault('invalid', 'bad-input', 'artifacts are promoted within one format only');
      }
      const { snapshot, artifact, version } = request;
      const parameters = {
        instance: from.id,
        distribution: from.place.distribution,
        derivative: from.place.derivative,
        ...(snapshot === '' ? {} : { snapshot }),
        ...(artifact === '' ? {} : { artifact }),
        ...(version === '' ? {} : { version }),
      };
      return submit(deps, call, request, 'promotion', parameters, () => {
        if (snapshot !== '') states.numberOf(from.id, keyFrom(from.place), snapshot);
      });
    },
    rollBack: async (request, call) => {
      const { id, key } = keyOf(deps, request.place);
      return submit(deps, call, request, 'rollback', { to: request.to }, () => {
        states.numberOf(id, key, request.to);
      });
    },
  };
}
