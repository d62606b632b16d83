import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import {
  checkMain,
  checkRelease,
  compareDebian,
  compareRpm,
  nextVersion,
  parseVersion,
  templateVersion,
} from '../../../workers/source/versions.ts';

describe('versions', () => {
  test('a full version joins main, release, tag and rebuild number', () => {
    assert.equal(nextVersion('2.10', '1', 'deb12', []).full, '2.10-1.deb12');
    assert.equal(nextVersion('2.10', '1', null, []).full, '2.10-1');
    assert.equal(nextVersion('2.10', '1', 'deb12', ['2.10-1.deb12']).full, '2.10-1.deb12+build0');
    assert.equal(nextVersion('2.10', '1', 'deb12', ['2.10-1.deb12+build0']).full, '2.10-1.deb12+build1');
    assert.equal(nextVersion('2.10', '1', 'deb12', ['2.10-1.deb12+build9']).full, '2.10-1.deb12+build10');
    const taken = ['2.10-1.deb12+build3', '2.11-1.deb12', '2.10-1.deb12', '2.10-2.deb12+build7'];
    assert.equal(nextVersion('2.10', '1', 'deb12', taken).full, '2.10-1.deb12+build4');
    assert.deepEqual(nextVersion('2.10', '1', 'deb12', ['2.10-1.deb12+build9']), {
      ...{ main: '2.10', release: '1', dist: 'deb12', build: 10 },
      ...{ full: '2.10-1.deb12+build10', fullrelease: '1.deb12+build10' },
    });
  });

  test('templates see the first part of the main version, as a number where it is one', () => {
    const major = (main: string): unknown => templateVersion(nextVersion(main, '1', null, [])).major;
    assert.deepEqual(['2.10', '10', '1a.2', '1:2.0'].map(major), [2, 10, '1a', '1:2']);
  });

  test('anything different from what is published starts without a rebuild number', () => {
    for (const published of [
      '2.9-1.deb12',
      '2.10-2.deb12',
      '2.10-1',
      '2.10-1.deb11',
      '2.10-1.deb11+build3',
      '2.10-10.deb12',
    ]) {
      assert.equal(nextVersion('2.10', '1', 'deb12', [published]).full, '2.10-1.deb12', published);
    }
  });

  test('a published version is read back, whatever its release looks like', () => {
    for (const release of ['1', '10', '2+beta1', '1.2', '0~rc1']) {
      const { main, release: read, dist, build } = parseVersion(`1:2.0~rc1-5-${release}.el9+build12`, 'el9');
      assert.deepEqual([main, read, dist, build], ['1:2.0~rc1-5', release, 'el9', 12]);
    }
    assert.deepEqual(parseVersion('3.0', null), {
      main: '3.0',
      release: '0',
      dist: null,
      build: -1,
      full: '3.0-0',
      fullrelease: '0',
    });
  });

  test('R28: epochs, tildes and hyphens are versions, malformed ones are refused by name', () => {
    for (const good of ['1', '1.2.3', '2.11~rc1', '1:4.5', '2024-01-05', '1.0+git20240101.abc'])
      checkMain(good, 'x', ['deb']);
    for (const bad of [
      '',
      'v1',
      '1 2',
      '1_2',
      '1:2:3',
      '1/2',
      '1\n',
      '-1',
      '1.0$(id)',
      'é',
      `1${'0'.repeat(300)}`,
    ]) {
      assert.throws(
        () => checkMain(bad, 'artifact.yml:3', ['deb']),
        (error: Fault) => error.reason === 'bad-version' && error.message.startsWith('artifact.yml:3'),
      );
    }
    for (const bad of ['', '-1', '1-2', '1 2', '1\n'])
      assert.throws(() => checkRelease(bad, 'x', 'deb'), Fault);
  });

  test('each format has a syntax of its own: only Debian demands a digit first, only rpm takes _', () => {
    const takes = (format: 'deb' | 'rpm' | 'osi', version: string): boolean => {
      try {
        checkMain(version, 'x', [format]);
        return true;
      } catch (error) {
        assert.equal((error as Fault).reason, 'bad-version');
        return false;
      }
    };
    const which = (version: string) => (['deb', 'rpm', 'osi'] as const).filter(one => takes(one, version));
    assert.deepEqual(which('2.10~rc1'), ['deb', 'rpm', 'osi']);
    assert.deepEqual(which('r42'), ['rpm', 'osi']);
    assert.deepEqual(which('1.0^git1'), ['rpm', 'osi']);
    assert.deepEqual(which('8u_1'), ['rpm']);
    assert.deepEqual(which('1:2.0'), ['deb', 'rpm']);
    for (const bad of ['', '_1', '.1', '1 2', '1/2', '1\n', '1.0$(id)', 'é', '%x']) {
      assert.deepEqual(which(bad), [], bad);
    }
    checkMain('r42', 'x', ['deb', 'rpm']);
    checkRelease('1_2^3', 'x', 'rpm');
    for (const bad of ['1_2', '1^3']) assert.throws(() => checkRelease(bad, 'x', 'deb'), Fault);
  });

  test('Debian orders as its policy tells', () => {
    const ordered = [
      '0.9~~',
      '0.9~~a',
      '0.9~',
      '0.9',
      '0.9a',
      '0.9+',
      '1.0~rc1-1',
      '1.0-1',
      '1.0-1.1',
      '1.0-2',
      '1.0-10',
      '1.a',
      '1:0.1',
      '2:0',
    ];
    for (let at = 1; at < ordered.length; at++) {
      assert.ok(compareDebian(ordered[at - 1]!, ordered[at]!) < 0, `${ordered[at - 1]} < ${ordered[at]}`);
      assert.ok(compareDebian(ordered[at]!, ordered[at - 1]!) > 0);
    }
    assert.equal(compareDebian('1.0-0', '1.0'), 0);
    assert.equal(compareDebian('1.00', '1.0'), 0);
  });

  test('rpm orders as rpmvercmp does', () => {
    // Cases of rpm's own test suite (tests/rpmvercmp.at).
    const cases: [string, string, number][] = [
      ['1.0', '1.0', 0],
      ['1.0', '2.0', -1],
      ['2.0.1', '2.0.1a', -1],
      ['5.5p1', '5.5p10', -1],
      ['10xyz', '10.1xyz', -1],
      ['xyz10', 'xyz10.1', -1],
      ['xyz.4', '8', -1],
      ['5.5p2', '5.6p1', -1],
      ['1.0~rc1', '1.0', -1],
      ['1.0~rc1', '1.0~rc2', -1],
      ['1.0^', '1.0', 1],
      ['1.0^git1', '1.0.1', -1],
      ['1.0~rc1^git1', '1.0~rc1', 1],
      ['1.0^git1~pre', '1.0^git1', -1],
      ['20101121', '20101122', -1],
      ['2_0', '2.0', 0],
    ];
    for (const [a, b, expected] of cases) {
      assert.equal(Math.sign(compareRpm(a, b)), expected, `${a} ${b}`);
      assert.equal(Math.sign(compareRpm(b, a)), -expected || 0, `${b} ${a}`);
    }
  });
});
