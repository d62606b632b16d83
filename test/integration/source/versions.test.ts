import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compareDebian } from '../../../workers/source/versions.ts';
import { random, SEED, scaled } from '../../support/scale.ts';

test('versions are ordered exactly as dpkg orders them', () => {
  const next = random(SEED);
  const pick = (text: string): string => text[Math.floor(next() * text.length)] ?? '';
  const part = (): string =>
    Array.from({ length: 1 + Math.floor(next() * 6) }, () => pick('001129aAbZ.+~-')).join('');
  const version = (): string => {
    const epoch = next() < 0.2 ? `${Math.floor(next() * 3)}:` : '';
    return `${epoch}${pick('0129')}${part()}${next() < 0.6 ? `-${pick('019a')}${part().replaceAll('-', '')}` : ''}`;
  };
  const pairs = Array.from({ length: scaled(20_000, 0.02) }, () => {
    const a = version();
    // Half of the pairs differ in one place only: that is where the rules are subtle.
    const at = Math.floor(next() * a.length);
    const b =
      next() < 0.5
        ? version()
        : `${a.slice(0, at)}${a[at] === ':' ? ':' : pick('0129aZ+~')}${a.slice(at + 1)}`;
    // dpkg refuses an empty revision, and so do we before anything is compared.
    return [a, /^\d/.test(b) ? b : `0${b}`].map(text => text.replace(/-$/, '-0')) as [string, string];
  });
  const valid = pairs.filter(pair => pair.every(text => /^(\d+:)?\d[^:]*$/.test(text)));
  assert.ok(valid.length > pairs.length / 2);
  // One process for all: perl's binding is dpkg's own implementation in the same package.
  const program =
    'use Dpkg::Version; while (<STDIN>) { chomp; my ($a, $b) = split / /; print version_compare($a, $b), "\\n" }';
  const answer = spawnSync('perl', ['-e', program], {
    input: valid.map(pair => pair.join(' ')).join('\n'),
    encoding: 'utf8',
  });
  assert.equal(answer.status, 0, `${answer.stderr} (package libdpkg-perl, seed ${SEED})`);
  const expected = answer.stdout.trim().split('\n').map(Number);
  valid.forEach(([a, b], at) => {
    assert.equal(Math.sign(compareDebian(a, b)), expected[at], `${a} against ${b}, seed ${SEED}`);
  });
  for (const [a, b] of valid.slice(0, 20)) {
    const order = compareDebian(a, b);
    execFileSync('dpkg', ['--compare-versions', a, order < 0 ? 'lt' : order > 0 ? 'gt' : 'eq', b], {
      stdio: 'ignore',
    });
  }
});
