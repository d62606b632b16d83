/** What stands at the daemon's doors besides its services: health, reflection, sockets of others; and what hooks are told. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import {
  failDaemon,
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
} from '../../support/daemon.ts';
import { healthOf } from '../../support/health.ts';
import { until } from '../../support/until.ts';

const REFLECTION = '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto';

describe('the doors of a daemon', () => {
  let home: Home;
  let daemon: RunningDaemon;
  const hook = { script: '', seen: '' };
  before(async () => {
    home = makeHome();
    [hook.script, hook.seen] = [join(home.path, 'hook.sh'), join(home.path, 'seen')];
    writeFileSync(hook.script, `#!/bin/sh\nenv -0 >>${hook.seen}\n`, { mode: 0o755 });
    home.configure('rackwright.ini', `[tasks]\nhook = ${hook.script}\n`);
    pretendReady(home);
    daemon = await startDaemon(home, { quick: true, env: { ...process.env, SECRET_OF_THE_DAEMON: 'x' } });
  });
  after(async () => {
    await daemon.stop();
    home.remove();
  });

  /** A client of a service that is not ours, made from its published definition. */
  function client(proto: string, name: string, door: string): grpc.Client {
    const loaded = loadSync(join(import.meta.dirname, '../../../node_modules', proto));
    const Client = grpc.makeGenericClientConstructor(loaded[name] as grpc.ServiceDefinition, name);
    return new Client(`unix:${join(home.path, 'run', door)}`, grpc.credentials.createInsecure());
  }

  test('answer health checks, for the whole and for each service', async () => {
    for (const door of ['control.sock', 'edge.sock']) {
      const health = healthOf(join(home.path, 'run', door));
      for (const service of ['', 'rackwright.v1.BuildService', 'rackwright.v1.TaskService']) {
        assert.match(await health.check(service), /^(SERVING|1)$/, service);
      }
      await assert.rejects(health.check('rackwright.v1.Nothing'), { code: grpc.status.NOT_FOUND });
      health.close();
    }
  });

  test('tell by reflection which services there are', async () => {
    const reflection = client(REFLECTION, 'grpc.reflection.v1.ServerReflection', 'control.sock');
    const open = reflection[
      'serverReflectionInfo' as keyof grpc.Client
    ] as unknown as () => grpc.ClientDuplexStream<
      object,
      { listServicesResponse: { service: { name: string }[] } }
    >;
    const stream = open.call(reflection);
    const answer = new Promise<string[]>((resolve, reject) => {
      stream.on('data', data =>
        resolve(data.listServicesResponse.service.map((one: { name: string }) => one.name)),
      );
      stream.on('error', reject);
    });
    stream.write({ listServices: '*' });
    const names = await answer;
    stream.end();
    reflection.close();
    for (const name of [
      'InstanceService',
      'BuildService',
      'TaskService',
      'RegistryService',
      'KeyringService',
    ]) {
      assert.ok(names.includes(`rackwright.v1.${name}`), names.join(' '));
    }
  });

  test('are never taken away by a daemon on another state', async () => {
    const other = makeHome();
    other.configure('rackwright.ini', `[dirs]\nrun = ${join(home.path, 'run')}\n`);
    try {
      const { code, said } = await failDaemon(other);
      assert.equal(code, 1);
      assert.match(said, /control\.sock: another process answers there/);
      assert.doesNotMatch(said, /EPIPE/, 'it has no child that speaks to nobody');
      assert.equal((await daemon.service('InstanceService').listInstances({})).instances.length, 1);
    } finally {
      other.remove();
    }
  });

  test('lead to tasks whose hook has the documented variables, and nothing of the daemon', async () => {
    const { task } = await daemon.service('BuildService').submitBuild(spoolBuild(home, 'fail'));
    const read = (): string[] => {
      try {
        return readFileSync(hook.seen, 'latin1').split('\0').filter(Boolean);
      } catch {
        return [];
      }
    };
    await until(() => read().filter(line => line.startsWith('RACKWRIGHT_TASK_STAGE=')).length === 2);
    const last = new Map<string, string>();
    for (const line of read()) last.set(line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1));
    const words = [
      'INSTANCE_ID',
      'INSTANCE_NAME',
      'TASK_ID',
      'TASK_NAME',
      'TASK_STAGE',
      'TASK_RESULT',
      'TASK_METADATA',
    ];
    const expected = words.flatMap(word => [`FATBUILDR_${word}`, `RACKWRIGHT_${word}`]);
    // The shell itself adds PWD and the like.
    const own = [...last.keys()].filter(name => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
    assert.deepEqual(own.sort(), ['PATH', ...expected].sort());
    for (const prefix of ['RACKWRIGHT_', 'FATBUILDR_']) {
      assert.equal(last.get(`${prefix}TASK_ID`), task);
      assert.equal(last.get(`${prefix}TASK_NAME`), 'artifact build');
      assert.equal(last.get(`${prefix}TASK_STAGE`), 'end');
      assert.equal(last.get(`${prefix}TASK_RESULT`), 'failed');
      const told = JSON.parse(Buffer.from(last.get(`${prefix}TASK_METADATA`) ?? '', 'base64').toString());
      const { format, distribution, derivative, artifact, architectures, archives } = told;
      assert.deepEqual(
        { format, distribution, derivative, artifact, architectures, archives },
        {
          ...{ format: 'deb', distribution: 'bookworm', derivative: 'main', artifact: 'fail' },
          ...{ architectures: ['x86_64'], archives: [] },
        },
      );
    }
  });
});
