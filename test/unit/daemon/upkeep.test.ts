/** When a registry must be looked after. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueAt, readRelease, retryAfter } from '../../../daemon/core/upkeep.ts';
import { keepUp, type UpkeepParts } from '../../../daemon/upkeep.ts';
import { renderRelease } from '../../../workers/registry/apt-release.ts';

const DATE = 1_800_000_000;
const DAY = 86_400;

/** A Release as publications write it. */
function release(validFor: number, paths: readonly string[]): string {
  const fields = { origin: 'Site', codename: 'stable', architectures: ['amd64'], derivatives: ['main'] };
  const files = paths.map(path => ({ path, size: 7, sha256: 'a'.repeat(64), stored: true }));
  return renderRelease({ ...fields, date: DATE, validFor }, files);
}

const PLAIN = ['main/binary-amd64/Packages', 'main/binary-amd64/Packages.gz', 'main/source/Sources'];
const PACKED = [...PLAIN, 'main/binary-amd64/Packages.xz', 'main/source/Sources.xz', 'main/Contents-amd64'];

test('a Release tells its date, its end, and whether all that can be is packed', () => {
  assert.deepEqual(readRelease(release(0, PLAIN)), { date: DATE, validUntil: null, packed: false });
  assert.deepEqual(readRelease(release(DAY, PACKED)), { date: DATE, validUntil: DATE + DAY, packed: true });
  assert.equal(readRelease(release(0, PACKED.slice(0, -2)))?.packed, false);
  assert.equal(readRelease('Origin: Site\n'), null);
});

test('a Release is signed anew at two thirds of its validity, and at once when that is set otherwise', () => {
  const state = (validFor: number) => ({
    date: DATE,
    validUntil: validFor === 0 ? null : DATE + validFor,
    packed: true,
  });
  assert.equal(dueAt(state(9 * DAY), { validFor: 9 * DAY, xzAfter: 60 }), DATE + 6 * DAY);
  for (const [is, set] of [
    [0, DAY],
    [DAY, 0],
    [DAY, 2 * DAY],
  ] as const) {
    assert.equal(dueAt(state(is), { validFor: set, xzAfter: 60 }), DATE);
  }
  assert.equal(dueAt(state(0), { validFor: 0, xzAfter: 60 }), null);
});

test('what is not packed is due once it is quiet, whichever comes first', () => {
  const state = { date: DATE, validUntil: null, packed: false };
  assert.equal(dueAt(state, { validFor: 0, xzAfter: 60 }), DATE + 60);
  assert.equal(dueAt(state, { validFor: 0, xzAfter: 0 }), null);
  const ending = { ...state, validUntil: DATE + 30 };
  assert.equal(dueAt(ending, { validFor: 30, xzAfter: 60 }), DATE + 20);
});

test('what failed is tried again several times before the end, and hourly at most', () => {
  assert.equal(retryAfter({ validFor: 0, xzAfter: 60 }), 3600);
  assert.equal(retryAfter({ validFor: 30 * DAY, xzAfter: 60 }), 3600);
  assert.equal(retryAfter({ validFor: 30, xzAfter: 60 }), 2);
});

test('a look that fails is told of and followed by the next', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: string[] = [];
  let looks = 0;
  const parts = {
    catalogue: {
      places: () => {
        looks++;
        throw new Error('disk I/O error');
      },
    },
    report: (error: unknown, where: string) => told.push(`${where}: ${error}`),
  };
  const end = keepUp(parts as unknown as UpkeepParts);
  for (let second = 0; second < 30; second++) {
    t.mock.timers.tick(1000);
    await new Promise(resolve => setImmediate(resolve));
  }
  end();
  assert.ok(looks >= 3, `${looks} looks in half a minute`);
  assert.equal(told.length, looks);
  assert.match(told[0] ?? '', /looking after registries: .*disk I\/O error/);
});
