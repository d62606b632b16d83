/** States of registries over HTTP. */
import { openAsBlob } from 'node:fs';
import type { BodyInit } from 'undici';
import type { Place } from './api.ts';
import type { States } from './registry-api.ts';
import type { RestClient } from './rest-client.ts';

export function restStates(client: RestClient): States {
  const change = (place: Place, path: string, json: object = {}, method = 'POST'): Promise<string> =>
    client
      .json<{ task: string }>(`${placePath(place)}/${path}`, { method, json })
      .then(answer => answer.task);
  return {
    list: place => client.json(`${placePath(place)}/generations.json`),
    compare: (place, from, to) =>
      client.json(`${placePath(place)}/compare.json`, {
        query: { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) },
      }),
    createSnapshot: (place, name) => change(place, `snapshots/${encodeURIComponent(name)}`),
    deleteSnapshot: (place, name) => change(place, `snapshots/${encodeURIComponent(name)}`, {}, 'DELETE'),
    promote: (place, { instance, distribution, derivative, ...what }) =>
      change(place, 'promote', {
        ...what,
        ...(instance === undefined ? {} : { from_instance: instance }),
        ...(distribution === undefined ? {} : { from_distribution: distribution }),
        ...(derivative === undefined ? {} : { from_derivative: derivative }),
      }),
    rollBack: (place, to) => change(place, 'rollback', { to }),
    importFrom: (place, { components, ...from }) =>
      change(place, 'import', { ...from, components: components.join(',') }),
    setUpdateInfo: async (place, file) => {
      // Node's own Blob, whose type is ahead of the library's.
      const body = file === null ? {} : { body: (await openAsBlob(file)) as unknown as BodyInit };
      const method = file === null ? 'DELETE' : 'PUT';
      const path = `${placePath(place)}/updateinfo`;
      return (await client.json<{ task: string }>(path, { method, ...body })).task;
    },
    care: (place, how) => change(place, how),
    plan: (place, rule) => client.json(`${placePath(place)}/retention.json`, { query: { ...rule } }),
  };
}

/** Address of a place below the instance. */
export function placePath({ format, distribution, derivative }: Place): string {
  return `/registry/${[format, distribution, derivative].map(encodeURIComponent).join('/')}`;
}
