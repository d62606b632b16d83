/** Registry and keyring over the daemon's socket, in the shapes of the documented REST. */
import { Fault } from '../../proto/fault.ts';
import type { Connection } from '../../proto/rpc.ts';
import type { CallOptions } from '../../proto/services.ts';
import type { Api, Artifact, ArtifactDescription } from './api.ts';
import { toArtifact } from './grpc-states.ts';

type Registry = Pick<
  Api,
  'registryFormats' | 'distributions' | 'artifacts' | 'describe' | 'search' | 'deleteArtifact'
>;
type Keyring = Pick<Api, 'keyring' | 'exportKeyring' | 'createKeyring' | 'renewKeyring'>;

export function registryOf(connection: Connection, instance: string, options: CallOptions): Registry {
  const registry = connection.service('RegistryService');
  return {
    registryFormats: async () => (await registry.listFormats({ instance }, options)).formats,
    distributions: async format =>
      (await registry.listDistributions({ instance, format }, options)).distributions,
    async artifacts(place) {
      const found: Artifact[] = [];
      const answers = registry.listArtifacts({ place: { instance, ...place } }, options);
      for await (const { artifacts } of answers) found.push(...artifacts.map(toArtifact));
      return found;
    },
    async describe(place, architecture, name) {
      const whole = { binaries: [] as Artifact[], changelog: [], content: [] } as {
        binaries: Artifact[];
        changelog: ArtifactDescription['changelog'][number][];
        content: ArtifactDescription['content'][number][];
      };
      let artifact: Artifact | null = null;
      let source: Artifact | null = null;
      const answers = registry.describeArtifact(
        { place: { instance, ...place }, architecture, name },
        options,
      );
      for await (const { part } of answers) {
        if (!part) continue;
        if (part.artifact) artifact = toArtifact(part.artifact);
        if (part.source) source = toArtifact(part.source);
        whole.binaries.push(...part.binaries.map(toArtifact));
        whole.changelog.push(
          ...part.changelog.map(({ author, changes, date, version }) => ({ author, changes, date, version })),
        );
        whole.content.push(...part.content.map(({ path, type, size }) => ({ path, type, size })));
      }
      if (!artifact)
        throw new Fault('not_found', 'not-found', `there is no artifact ${name} for ${architecture}`);
      const { binaries, changelog, content } = whole;
      const origin = architecture === 'src' ? { binaries } : source ? { source } : {};
      return { artifact: name, name, ...origin, changelog, content };
    },
    async search(text) {
      const found: Record<string, Record<string, Record<string, Artifact[]>>> = {};
      for await (const { matches } of registry.searchArtifacts({ instance, contains: text }, options)) {
        for (const { place, artifact } of matches) {
          if (!place || !artifact) continue;
          found[place.format] ??= {};
          const distributions = found[place.format] ?? {};
          distributions[place.distribution] ??= {};
          const derivatives = distributions[place.distribution] ?? {};
          derivatives[place.derivative] ??= [];
          derivatives[place.derivative]?.push(toArtifact(artifact));
        }
      }
      return found;
    },
    async deleteArtifact(place, { architecture, name, version }) {
      const request = { place: { instance, ...place }, architecture, name, version };
      return (await registry.deleteArtifact(request, options)).task;
    },
  };
}

export function keyringOf(connection: Connection, instance: string, options: CallOptions): Keyring {
  const keyrings = connection.service('KeyringService');
  return {
    async keyring() {
      const { keyring } = await keyrings.getKeyring({ instance }, options);
      if (!keyring?.master) {
        throw new Fault('not_found', 'no-keyring', `instance ${instance} has no keyring yet`);
      }
      const { userid, updated, master, subkey } = keyring;
      return { userid, updated, master, ...(subkey ? { subkey } : {}) };
    },
    exportKeyring: async () => (await keyrings.exportKeyring({ instance }, options)).armored,
    createKeyring: async () => (await keyrings.createKeyring({ instance }, options)).task,
    renewKeyring: async duration => (await keyrings.renewKeyring({ instance, duration }, options)).task,
  };
}
