/** A signing key that ends soon is told of before publications fail. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome, startDaemon } from '../../support/daemon.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { until } from '../../support/until.ts';

const DAY = 86_400;
const INSTANCE = `name: Example site
gpg: {name: Example team, email: team@example.org}
formats: {deb: [{name: stable, env: bookworm, tag: deb12}]}
`;
/** By instance, in the order in which they are looked at. */
const DAYS = { far: 40, near: 20 };

test('a key that ends within a month is warned of, and the ends of all are told', async context => {
  const home = makeHome();
  for (const [instance, days] of Object.entries(DAYS)) {
    home.configure(`instances.d/${instance}.yml`, INSTANCE);
    // The registry of the tests lies as the daemon's `lib` does.
    const options = { home: join(home.path, 'lib'), instance, keyring: { expires: days * DAY } };
    const registry = openRegistry(options);
    await makeKeyring(registry);
    registry.close();
  }
  const daemon = await startDaemon(home);
  context.after(async () => {
    await daemon.stop('SIGKILL');
    home.remove();
  });
  const { signingKeys: keys } = await daemon.service('DaemonService').getDaemonStatus({});
  assert.deepEqual(
    keys.map(({ instance, expires }) => [instance, Math.round((expires - Date.now() / 1000) / DAY)]),
    Object.entries(DAYS),
  );
  await until(async () => daemon.log().includes('the signing key of near expires on'));
  assert.ok(!daemon.log().includes('the signing key of far'));
});
