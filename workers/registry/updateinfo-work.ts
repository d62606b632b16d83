/** The task that gives a dnf registry its update notices, or takes them away. */
import type { Work } from '../context.ts';
import type { RegistrySpec } from '../job.ts';
import { withRegistry } from './publication.ts';
import { noticesIn } from './rpm-notices.ts';
import { publishRpmChange } from './rpm-publish.ts';
import { unpack } from './unpack.ts';
import { areSameNotices, MAX_UPDATEINFO, readNotices, writeNotices } from './updateinfo.ts';

/** The spec's `file` takes the place of all notices; without one they go. Throws `bad-input`, `too-large`. */
export const updateinfoWork: Work<RegistrySpec> = async (context, spec) => {
  const bytes = spec.file === undefined ? null : await unpack(context, spec.file, MAX_UPDATEINFO);
  const notices = bytes === null ? [] : readNotices(bytes, 'the file sent');
  await withRegistry(context, spec, async held => {
    if (areSameNotices(notices, noticesIn(held))) {
      context.console.log('info', 'The update notices are these already');
      return;
    }
    await publishRpmChange(context, held, { add: [], remove: [], live: [], notices: writeNotices(notices) });
    const { distribution, derivative } = spec;
    context.console.log('info', `${distribution}/${derivative} has ${notices.length} update notices now`);
  });
};
