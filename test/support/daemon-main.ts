/**
 * The daemon's process with the quick thread entry: `node test/support/daemon-main.ts HOME`. A file `clock` in the home
 * has milliseconds by which its wall clock is wrong.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../daemon/config.ts';
import { openDaemon } from '../../daemon/daemon.ts';
import { openLog } from '../../systemd/log.ts';
import { openNotifier } from '../../systemd/notify.ts';
import { runService } from '../../systemd/service.ts';
import { places } from '../../systemd/settings.ts';

const at = places(process.argv[2] ?? '');
const log = openLog('rackwrightd', false, process.env);
process.umask(0o022);
const clockError = (): number => {
  try {
    return Number(readFileSync(join(process.argv[2] ?? '', 'clock'), 'utf8'));
  } catch {
    return 0;
  }
};
process.env.UV_THREADPOOL_SIZE ??= '16';
try {
  await runService({
    open: () =>
      openDaemon({
        places: at,
        settings: readConfig(at).settings,
        log,
        host: {
          architecture: 'x86_64',
          name: 'test.example',
          release: { ID: 'debian', VERSION_ID: '12', VERSION_CODENAME: 'bookworm' },
        },
        passed: [],
        clock: { wall: () => Date.now() + clockError(), monotonic: () => performance.now() },
        newId: randomUUID,
        env: process.env,
        entries: {
          task: fileURLToPath(new URL('quick-task.ts', import.meta.url)),
          query: fileURLToPath(new URL('../../workers/query.ts', import.meta.url)),
        },
      }),
    notifier: openNotifier(process.env, text => log.warn(text)),
    log,
    signals: process,
  });
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
