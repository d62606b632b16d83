/** The form that submits a definition over REST. */
import { openAsBlob } from 'node:fs';
import { basename, join } from 'node:path';
import { pack, type Sample } from './definitions.ts';
import { hostArchitecture } from './environment.ts';

/** A build for the host's architecture; the definition is packed into `folder`. */
export async function buildForm(
  sample: Sample,
  { distribution, folder, message }: { distribution: string; folder: string; message: string },
): Promise<FormData> {
  const form = new FormData();
  const fields = {
    format: 'deb',
    distribution,
    derivative: 'main',
    architectures: hostArchitecture(),
    artifact: sample.artifact,
    user_name: 'Jane Roe',
    user_email: 'jane@example.org',
    message,
  };
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  const definition = pack(sample.folder, join(folder, `${sample.artifact}.tar.xz`));
  form.set('tarball', await openAsBlob(definition), basename(definition));
  for (const { id, path } of sample.sources) form.set(`source/${id}`, await openAsBlob(path), basename(path));
  return form;
}
