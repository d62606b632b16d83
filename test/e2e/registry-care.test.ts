/** Administration of registries through the running pair: retention, collection, promotion between instances. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SignJWT } from 'jose';
import type { CallOptions } from '../../proto/services.ts';
import { openAptClient } from '../support/apt-client.ts';
import { openCliHome } from '../support/cli.ts';
import { makeSiteHome, removeSiteHome, type Site, startSite } from '../support/site.ts';
import { tinyDeb, writeTinyDeb } from '../support/tiny-deb.ts';

const instance = (retention: string): string => `name: Example site
gpg: {name: Example team, email: team@example.org}
formats:
  deb:
  - {name: stable, env: bookworm, tag: deb12${retention}}
derivatives:
  extra: {}
`;
/** Nobody sees anything without a token; bob may retry tasks and publish, but see no registry. */
const POLICY = `[roles]
anonymous
readers=rita
publishers=jane
workers=bob
[anonymous]
actions=
[readers]
actions=view-registry,view-task
[publishers]
actions=@readers,view-keyring,edit-registry,edit-task
[workers]
actions=edit-registry,edit-task,view-task
`;
const GATEWAY_KEY = 'a key of the gateway that is long enough';
const main = { instance: 'site', format: 'deb', distribution: 'stable', derivative: 'main' };
const extra = { ...main, derivative: 'extra' };
const other = { ...main, instance: 'other' };

describe('administration of registries', () => {
  const home = makeSiteHome({
    'instances.d/site.yml': instance(', retention: {main: {last: 2}}'),
    'instances.d/other.yml': instance(''),
    'policy.ini': POLICY,
  });
  const cli = openCliHome();
  let site: Site;
  before(async () => {
    const key = join(home, 'etc/gateway.key');
    writeFileSync(key, GATEWAY_KEY, { mode: 0o600 });
    writeFileSync(
      join(home, 'etc/rackwright.ini'),
      `[keyring]\ntype = ed25519\n[tokens]\ngateway_key = ${key}\n[registry]\nretain_at = no\nimport_root = ${home}/open\n`,
    );
    site = await startSite(home);
  });
  after(async () => {
    await site?.stop();
    cli.remove();
    removeSiteHome(home);
  });

  /** A token of the gateway: it proves who somebody is to every instance. */
  async function everywhere(subject: string): Promise<CallOptions> {
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .setAudience('slurm-web')
      .setSubject(subject)
      .sign(Buffer.from(GATEWAY_KEY));
    return { authorization: `Bearer ${token}` };
  }

  async function command(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await cli.run([
      '--uri',
      site.pair.controlSocket,
      '--instance',
      'site',
      ...words,
    ]);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  async function planned(
    place: typeof main,
    rule: { last: number; newer: number } | null = null,
  ): Promise<string[]> {
    const found: string[] = [];
    for await (const { outdated } of site.registry.planRetention({ place, rule })) {
      found.push(...outdated.map(one => `${one.artifact?.name} ${one.artifact?.version} ${one.snapshots}`));
    }
    return found.sort();
  }

  test('what a retention would take out is shown, by its own rule or another, and nothing is changed', async () => {
    await site.importPackages(main, 'hello 1-1', 'hello 1-2', 'hello 1-3', 'hello 1-10', 'single 1');
    await site.finish('site', await site.registry.createSnapshot({ place: main, name: 'all' }));
    await site.importPackages(extra, 'hello 1-1', 'hello 1-2');
    assert.deepEqual(await planned(main), ['hello 1-1 all', 'hello 1-2 all']);
    assert.deepEqual(await planned(main, { last: 3, newer: 0 }), ['hello 1-1 all']);
    assert.deepEqual(await planned(main, { last: 1, newer: 3600 }), []);
    // Without a rule of its own only the newest is kept.
    assert.deepEqual(await planned(extra), ['hello 1-1 ']);
    await assert.rejects(planned(main, { last: -1, newer: 0 }), { reason: 'bad-input' });
    const shown = await command('registry', 'retain', '-d', 'stable', '--dry-run');
    assert.match(shown, /^- name: hello\n.*\n {2}version: 1-2\n(.*\n)*- name: hello\n/);
    assert.equal((await site.list(main)).length, 5);
  });

  test('it takes out exactly that, says so, and leaves other derivatives and snapshots whole', async () => {
    const { task } = await site.registry.retainArtifacts({ place: main });
    await site.finish('site', { task });
    assert.deepEqual(await site.list(main), ['hello 1-10 x86_64', 'hello 1-3 x86_64', 'single 1 x86_64']);
    assert.equal((await site.list(extra)).length, 2);
    const lines = await site.journal('site', task);
    assert.ok(lines.includes('Took out hello 1-1 (x86_64): 3 newer, published 0 days ago'), lines.join('\n'));
    assert.ok(lines.includes('2 of 5 artifacts left stable/main: the newest 2 versions are kept'));
    await site.finish('site', await site.registry.verifyRegistry({ place: main }));
    const key = join(home, 'key.asc');
    writeFileSync(
      key,
      await (await fetch(`${site.pair.url}/site/keyring.asc`, { headers: await headers('jane') })).text(),
    );
    assert.deepEqual(await planned(main), []);
    const apt = openAptClient(
      `deb [signed-by=${key}] ${withToken(await everywhere('jane'))}/site/deb/snapshots/all stable main`,
    );
    const updated = await apt.run('apt-get', 'update');
    assert.equal(updated.code, 0, updated.output);
    const download = await apt.run('apt-get', 'download', 'hello=1-1');
    assert.equal(download.code, 0, download.output);
    apt.close();
  });

  async function headers(subject: string): Promise<Record<string, string>> {
    return { authorization: (await everywhere(subject)).authorization ?? '' };
  }

  /** The address of the edge with the token as the password, as apt sends it. */
  function withToken({ authorization = '' }: CallOptions): string {
    return site.pair.url.replace('http://', `http://token:${authorization.replace('Bearer ', '')}@`);
  }

  test('what nothing needs is collected when asked, and by the command', async () => {
    await site.finish('site', await site.registry.collectRegistry({ place: main }));
    const shown = await cli.run([
      ...['--uri', site.pair.controlSocket, '--instance', 'site'],
      ...['registry', 'collect', '-d', 'stable'],
    ]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stderr, /Collected \d+ old states and \d+ files that nothing needs\nTask succeeded/);
  });

  test('a promotion needs the right to view where it comes from and to publish where it goes', async () => {
    await site.importPackages(other, 'tool 2.0');
    const promotion = { place: main, from: other };
    // A token of this instance proves nothing to the other one.
    const here = await site.token('site', 'jane');
    const refused = { kind: 'forbidden', reason: 'no-permission' };
    await assert.rejects(site.edge.registry.promote(promotion, here), {
      ...refused,
      message: 'anonymous has no role that permits view-registry of instance other',
    });
    await assert.rejects(site.edge.registry.promote(promotion, await everywhere('rita')), {
      ...refused,
      message: 'rita has no role that permits edit-registry',
    });
    await assert.rejects(site.edge.registry.promote(promotion, await everywhere('bob')), {
      ...refused,
      message: 'bob has no role that permits view-registry of instance other',
    });
    // Nor may bob who can't view the registry take from another derivative of his own instance.
    await assert.rejects(
      site.edge.registry.promote({ place: main, from: extra }, await everywhere('bob')),
      refused,
    );
    await assert.rejects(site.edge.registry.promote(promotion), refused);
    const nowhere = { place: main, from: { ...other, instance: 'nowhere' } };
    await assert.rejects(site.registry.promote(nowhere), { kind: 'not_found' });
    assert.ok(!(await site.list(main)).some(line => line.startsWith('tool')));
  });

  test('and tells who took what, from where and from which state', async () => {
    const address = `${site.pair.url}/site/registry/deb/stable/main/promote?from_instance=other&artifact=tool`;
    const answer = await fetch(address, { method: 'POST', headers: await headers('jane') });
    assert.equal(answer.status, 200);
    const { task } = (await answer.json()) as { task: string };
    await site.finish('site', { task });
    assert.ok((await site.list(main)).includes('tool 2.0 x86_64'));
    const lines = await site.journal('site', task);
    assert.match(
      lines.join('\n'),
      /^jane promotes from other stable\/main in state \d{8}T\d+Z-[0-9a-f]{8}-1$/m,
    );
    assert.ok(lines.includes('Promoted tool 2.0 (x86_64) from other stable/main'), lines.join('\n'));
    const record = (await site.tasks.getTask({ instance: 'site', task })).task;
    assert.equal(record?.user, 'jane');
    const from = { instance: 'other', distribution: 'stable', derivative: 'main', artifact: 'tool' };
    assert.deepEqual({ ...record?.registry?.parameters }, from);
    // A retry by somebody else would be a way around.
    const retry = site.edge.tasks.retryTask({ instance: 'site', task }, await everywhere('bob'));
    await assert.rejects(retry, { kind: 'forbidden' });
    const again = await site.edge.tasks.retryTask({ instance: 'site', task }, await everywhere('jane'));
    await site.finish('site', again);
    await site.finish('site', await site.registry.verifyRegistry({ place: main }));
  });

  test('others than the control socket import from the network, and from folders below the one that is set', async () => {
    const open = join(home, 'open');
    mkdirSync(join(open, 'packages'), { recursive: true });
    mkdirSync(join(home, 'closed'));
    for (const folder of ['open/packages', 'closed'])
      writeTinyDeb(join(home, folder), tinyDeb('brought', '1'));
    symlinkSync(join(home, 'closed'), join(open, 'way-out'));
    const jane = await everywhere('jane');
    const over = (source: string) => site.edge.registry.importArtifacts({ place: main, source }, jane);
    // What is there and what is not reads the same.
    for (const source of ['/etc/shadow', '/root/.nosuch', `${open}/../closed`, `${open}er`]) {
      const message = `only folders below ${open} can be imported from here`;
      await assert.rejects(over(source), { reason: 'no-permission', message }, source);
    }
    for (const source of [`${open}/way-out`, `${open}/nowhere`]) {
      await assert.rejects(site.finish('site', await over(source)), /is not there, or leads out of/, source);
    }
    await site.finish('site', await over(`${open}/packages/`));
    assert.ok((await site.list(main)).includes('brought 1 x86_64'));
    const { task } = await site.registry.importArtifacts({ place: main, source: join(home, 'closed') });
    await site.finish('site', { task });
    await assert.rejects(site.edge.tasks.retryTask({ instance: 'site', task }, jane), { kind: 'forbidden' });
    for (const connection of [site.registry, site.edge.registry]) {
      const source = 'https://jane:s3cret@example.org/deb';
      await assert.rejects(connection.importArtifacts({ place: main, source }, jane), (fault: Error) => {
        assert.match(fault.message, /^credentials have no place/);
        return !fault.message.includes('s3cret');
      });
    }
  });
});
