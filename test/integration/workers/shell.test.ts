/** A shell in a real sandbox: several scripts for one entry, and every way in which one can end. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../../proto/fault.ts';
import type { Sandbox } from '../../../workers/context.ts';
import type { BuildSpec } from '../../../workers/job.ts';
import { openShell, type Shell } from '../../../workers/sandbox/shell.ts';
import { type JobOptions, type OpenAttempt, openAttempt } from '../../support/attempt.ts';
import { preparedRoot } from '../../support/environment.ts';
import { until } from '../../support/until.ts';

let root = '';
before(async () => {
  root = await preparedRoot();
});

/** Of builds the way in is prepared while their sources are. */
const BUILD: BuildSpec = {
  ...{ type: 'build', format: 'deb', distribution: 'bookworm', derivative: 'main' },
  ...{ architectures: ['x86_64'], artifact: 'hello', definition: '', sources: [] },
  ...{ author: 'Jane Roe', email: 'jane@example.org', message: 'Try' },
};

async function withShell(
  options: JobOptions,
  work: (shell: Shell, opened: OpenAttempt, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const opened = await openAttempt(options);
  try {
    const place = join(opened.place, 'sandbox');
    const sandbox = await opened.attempt.context.openSandbox({ roots: [root], work: place });
    // Read by a bash that takes itself for one of a remote shell.
    writeFileSync(join(sandbox.exchange, '.bashrc'), 'echo a file of settings was read >&2\n');
    const shell = openShell(sandbox, { env: { KNOWN: 'yes' } });
    await work(shell, opened, sandbox);
    await shell.close();
    assert.doesNotMatch(opened.output(), /bashrc|settings was read/);
  } finally {
    await opened.close();
  }
}

for (const [name, way] of [
  ['a shell in a sandbox', {}],
  ['a shell in the sandbox of a build', { spec: BUILD }],
] as const) {
  describe(name, () => {
    test('scripts run one after another in one entry, each as by itself', async () => {
      await withShell({ ...way }, async (shell, opened, sandbox) => {
        assert.equal(
          await shell.run('MINE=1; cd /tmp; echo $$ >/build/first; trap "" TERM; echo "to the terminal"'),
          0,
        );
        assert.equal(
          await shell.run(`[ -s first ] && [ -z "$MINE" ] && [ "$KNOWN" = yes ] && [ "$PWD" = /build ]`),
          0,
        );
        assert.equal(await shell.run('env | cut -d= -f1 | sort | tr "\\n" " "; ls /proc/self/fd | wc -l'), 0);
        assert.equal(await shell.run('if read -r line; then exit 1; fi'), 0);
        // Output takes a way of its own, behind which the shell's word may come first.
        await until(() => /^HOME KNOWN LANG LOGNAME PATH PWD USER 4/m.test(opened.output()));
        assert.match(opened.output(), /to the terminal/);
        assert.match(opened.output(), /^HOME KNOWN LANG LOGNAME PATH PWD USER 4/m);
        // While it is open the sandbox runs nothing else; then it does.
        await assert.rejects(sandbox.run(['true']), /one command at a time/);
        await shell.close();
        assert.equal((await sandbox.run(['test', '-s', '/build/first'])).exitCode, 0);
      });
    });

    test('the first script that fails ends the shell with its exit code', async () => {
      await withShell({ ...way }, async (shell, _opened, sandbox) => {
        assert.equal(await shell.run('true'), 0);
        assert.equal(await shell.run('exit 81'), 81);
        assert.equal(await shell.run('true'), 81);
        assert.equal((await sandbox.run(['true'])).exitCode, 0);
      });
    });

    test('a script that a signal ended is told as killed', async () => {
      await withShell({ ...way }, async shell => {
        await assert.rejects(
          shell.run('kill -SEGV $$'),
          (error: Fault) => error.reason === 'killed' && /SIGSEGV/.test(error.message),
        );
      });
    });

    test('a script that needs too much memory is told as out of memory', {
      skip: process.getuid?.() === 0 ? false : 'needs control groups, which only root may make here',
    }, async () => {
      await withShell({ ...way, limits: { memory: 128 * 1024 ** 2 } }, async shell => {
        assert.equal(await shell.run('true'), 0);
        await assert.rejects(shell.run('tail /dev/zero'), (error: Fault) => error.reason === 'out-of-memory');
      });
    });

    test('cancel lets the script end by itself, and then the shell', async () => {
      await withShell({ ...way }, async (shell, opened) => {
        const running = shell.run(
          'trap "sleep 0.3; echo cleaned; exit 0" TERM; echo started; while :; do sleep 0.1; done',
        );
        running.catch(() => undefined);
        await until(async () => opened.output().includes('started'));
        opened.order({ type: 'cancel', by: 'jane' });
        await assert.rejects(running, (error: Fault) => error.reason === 'cancelled');
        assert.match(opened.output(), /cleaned/);
      });
    });

    test('a shell that nobody has used ends with its task', async () => {
      const opened = await openAttempt({ ...way });
      const place = join(opened.place, 'sandbox');
      const sandbox = await opened.attempt.context.openSandbox({ roots: [root], work: place });
      openShell(sandbox, {});
      await opened.close();
    });
  });
}

test('a way in that nobody has used counts as no program that says nothing, and ends with its task', async () => {
  for (const isCancelled of [false, true]) {
    const opened = await openAttempt({ spec: BUILD, limits: { idleTimeout: 1 } });
    await sleep(1600);
    assert.equal(opened.attempt.context.signal.aborted, false);
    if (isCancelled) {
      opened.order({ type: 'cancel', by: 'jane' });
      await until(() => opened.attempt.context.signal.aborted);
    }
    await opened.close();
  }
});
