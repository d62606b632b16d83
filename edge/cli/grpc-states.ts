/** States of registries over the daemon's socket, in the shapes of the REST interface. */
import { createReadStream } from 'node:fs';
import { Fault } from '../../proto/fault.ts';
import { readRetention } from '../../proto/retention.ts';
import type { Connection } from '../../proto/rpc.ts';
import type { CallOptions } from '../../proto/services.ts';
import type { Artifact__Output } from '../../proto/types/rackwright/v1/Artifact.ts';
import type { UploadUpdateInfoRequest } from '../../proto/types/rackwright/v1/UploadUpdateInfoRequest.ts';
import type { Artifact } from './api.ts';
import type { Comparison, RetentionPlan, States } from './registry-api.ts';

/** Bytes of a file sent in one message, well under the message limit. */
const CHUNK = 256 * 1024;
/** Milliseconds for an upload to be taken. */
const UPLOAD_LIMIT = 3_600_000;

export function statesOf(connection: Connection, instance: string, options: CallOptions): States {
  const registry = connection.service('RegistryService');
  const task = (answer: Promise<{ task: string }>): Promise<string> => answer.then(it => it.task);
  const care = {
    verify: registry.verifyRegistry,
    repair: registry.repairRegistry,
    retain: registry.retainArtifacts,
    collect: registry.collectRegistry,
  };
  return {
    async list(place) {
      const { generations } = await registry.listGenerations({ place: { instance, ...place } }, options);
      return generations.map(({ name, created, superseded, task, snapshots }) => ({
        ...{ name, task, snapshots },
        created: Math.floor(created),
        superseded: superseded > 0 ? Math.floor(superseded) : null,
      }));
    },
    async compare(place, from, to) {
      const added: Comparison['added'][number][] = [];
      const removed: Comparison['added'][number][] = [];
      const call = { place: { instance, ...place }, from, to };
      for await (const { differences } of registry.compareGenerations(call, options)) {
        for (const { added: isNew, artifact, place: where } of differences)
          (isNew ? added : removed).push({
            ...toArtifact(artifact),
            derivative: where?.derivative ?? '',
          });
      }
      return { added, removed };
    },
    createSnapshot: (place, name) =>
      task(registry.createSnapshot({ place: { instance, ...place }, name }, options)),
    deleteSnapshot: (place, name) =>
      task(registry.deleteSnapshot({ place: { instance, ...place }, name }, options)),
    promote: (place, { snapshot = '', artifact = '', version = '', ...from }) => {
      const to = { instance, ...place };
      return task(
        registry.promote({ place: to, from: { ...to, ...from }, snapshot, artifact, version }, options),
      );
    },
    rollBack: (place, to) => task(registry.rollBack({ place: { instance, ...place }, to }, options)),
    importFrom: (place, { components, ...from }) => {
      const call = { place: { instance, ...place }, ...from, components: [...components] };
      return task(registry.importArtifacts(call, options));
    },
    setUpdateInfo(place, file) {
      async function* parts(): AsyncGenerator<UploadUpdateInfoRequest> {
        yield { request: { place: { instance, ...place } } };
        if (file === null) return;
        for await (const chunk of createReadStream(file, { highWaterMark: CHUNK }))
          yield { chunk: chunk as Buffer };
      }
      return task(registry.uploadUpdateInfo(parts(), { ...options, timeout: UPLOAD_LIMIT }));
    },
    care: (place, how) => task(care[how]({ place: { instance, ...place } }, options)),
    async plan(place, written) {
      const rule = Object.keys(written).length === 0 ? null : readRetention(written);
      let applied: RetentionPlan['rule'] = { last: 0, newer: 0 };
      const outdated: RetentionPlan['outdated'][number][] = [];
      for await (const part of registry.planRetention({ place: { instance, ...place }, rule }, options)) {
        if (part.rule) applied = { last: part.rule.last, newer: part.rule.newer };
        for (const { artifact, published, newerVersions, snapshots } of part.outdated)
          outdated.push({
            ...toArtifact(artifact),
            ...{ published: Math.floor(published), newer_versions: newerVersions, snapshots },
          });
      }
      return { rule: applied, outdated };
    },
  };
}

/** The artifact without what gRPC adds to messages. */
export function toArtifact(artifact: Artifact__Output | null): Artifact {
  if (!artifact) throw new Fault('internal', 'internal', 'the daemon answered without an artifact');
  const { architecture, name, version, size } = artifact;
  return { architecture, name, version, size };
}
