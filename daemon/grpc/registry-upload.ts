/** What comes to a registry with a call: the update notices of a dnf registry. */
import { createHash } from 'node:crypto';
import { Fault } from '../../proto/fault.ts';
import type { UploadUpdateInfoRequest__Output } from '../../proto/types/rackwright/v1/UploadUpdateInfoRequest.ts';
import type { RegistrySpec } from '../../workers/job.ts';
import { callerOf } from './caller.ts';
import { type Methods, placeOf, type RegistryDependencies } from './registry-place.ts';

/** Bytes of one file. */
const MAX_UPLOAD = 256 * 1024 * 1024;

export function uploadMethods(deps: RegistryDependencies): Methods<'uploadUpdateInfo'> {
  const { spool, submit } = deps;
  return {
    uploadUpdateInfo: async (requests, call) => {
      const parts = requests[Symbol.asyncIterator]();
      const first = await parts.next();
      const request = first.done ? null : first.value.request;
      if (!request) throw new Fault('invalid', 'bad-input', 'the first part says nothing of a place');
      const { id, place } = placeOf(deps, request.place);
      if (place.format !== 'rpm')
        throw new Fault('invalid', 'bad-input', 'update notices are of rpm registries only');
      const spec: RegistrySpec = { type: 'registry', action: 'updateinfo', ...place, parameters: {} };
      const upload = await receive(deps, parts);
      try {
        const task = await submit({
          ...{ instance: id, spec, user: callerOf(call).login, check: () => 0 },
          key: request.idempotencyKey,
          ...(upload === null ? {} : { upload }),
        });
        return { task };
      } finally {
        // Whatever the task has not taken over.
        if (upload !== null) await spool.discard([upload.spool]);
      }
    },
  };
}

/** Spools the bytes that follow; null where none do. What fails leaves nothing. */
async function receive(
  { spool }: RegistryDependencies,
  parts: AsyncIterator<UploadUpdateInfoRequest__Output>,
): Promise<{ spool: string; sha256: string } | null> {
  const writer = await spool.create();
  const hash = createHash('sha256');
  let size = 0;
  try {
    for (;;) {
      const { value, done } = await parts.next();
      if (done) break;
      const { chunk } = value as UploadUpdateInfoRequest__Output;
      if (!chunk) throw new Fault('invalid', 'bad-input', 'a part is no piece of the file');
      size += chunk.length;
      if (size > MAX_UPLOAD)
        throw new Fault('invalid', 'too-large', `the file is larger than ${MAX_UPLOAD} bytes`);
      hash.update(chunk);
      await writer.write(chunk);
    }
  } catch (error) {
    size = 0;
    throw error;
  } finally {
    writer.close();
    if (size === 0) await spool.discard([writer.name]);
  }
  return size === 0 ? null : { spool: writer.name, sha256: hash.digest('hex') };
}
