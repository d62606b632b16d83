/** The life of a service process: what it is told while it starts is not lost. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Log } from '../../../systemd/log.ts';
import { openNotifier } from '../../../systemd/notify.ts';
import { runService } from '../../../systemd/service.ts';

test('a hangup during the start is obeyed after it, each later one at once', async () => {
  const signals = new EventEmitter();
  const started = Promise.withResolvers<void>();
  const said: string[] = [];
  const tell = (word: string) => () => void said.push(word);
  const service = { status: () => '', isAlive: () => true, close: async () => void said.push('closed') };
  const running = runService({
    open: async () => {
      await started.promise;
      said.push('started');
      return { ...service, reload: async () => void said.push('reloaded') };
    },
    notifier: openNotifier({}, text => assert.fail(text)),
    log: { info: tell('info'), error: tell('error') } as unknown as Log,
    signals: signals as unknown as NodeJS.Process,
  });
  signals.emit('SIGHUP');
  signals.emit('SIGHUP');
  assert.deepEqual(said, []);
  started.resolve();
  await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(said, ['started', 'reloaded']);
  signals.emit('SIGHUP');
  assert.deepEqual(said, ['started', 'reloaded', 'reloaded']);
  signals.emit('SIGTERM');
  await running;
  assert.deepEqual(said, ['started', 'reloaded', 'reloaded', 'info', 'closed']);
});
