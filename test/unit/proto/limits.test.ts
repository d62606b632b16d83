/** Limits as files state them, and what comes of two. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { describeLimits, type Limits, lowerLimits, readLimits } from '../../../proto/limits.ts';
import { SEED } from '../../support/scale.ts';

const LIMITS: Limits = { memory: 1000, cpus: 2, pids: 0, disk: 5000, timeout: 60, idleTimeout: 10 };

function read(stated: Readonly<Record<string, string>>) {
  const faults: string[] = [];
  const limits = readLimits(new Map(Object.entries(stated)), (key, message) =>
    faults.push(`${key}: ${message}`),
  );
  return { limits, faults };
}

describe('limits', () => {
  test('are read with the units of the settings; what is not stated is not there', () => {
    assert.deepEqual(
      read({ memory: '512 MiB', cpus: '1.5', pids: '100', disk: '2G', timeout: '2 h', idle_timeout: '90' }),
      {
        limits: {
          ...{ memory: 512 * 1024 ** 2, cpus: 1.5, pids: 100 },
          ...{ disk: 2 * 1024 ** 3, timeout: 7200, idleTimeout: 90 },
        },
        faults: [],
      },
    );
    assert.deepEqual(read({ memory: '0' }), { limits: { memory: 0 }, faults: [] });
    assert.deepEqual(read({}), { limits: {}, faults: [] });
  });

  test('that can not be read are told, each with its key', () => {
    const bad = {
      memory: 'lots',
      cpus: '-1',
      pids: '5000000',
      disk: '',
      timeout: '1.5 h',
      idle_timeout: '5 x',
    };
    assert.deepEqual(read(bad), {
      limits: {},
      faults: [
        'memory: "lots" is not a size such as 256 MiB',
        'cpus: "-1" is not a number of cores such as 2 or 1.5',
        'pids: 5000000 is not between 0 and 4194304',
        'disk: "" is not a size such as 256 MiB',
        'timeout: "1.5 h" is not a duration such as 30 min',
        'idle_timeout: "5 x" is not a duration such as 30 min',
      ],
    });
  });

  test('are lowered by what is asked, never raised; none is higher than any', () => {
    const asked = { memory: 900, cpus: 2.5, pids: 50, disk: 0, timeout: 60 };
    assert.deepEqual(lowerLimits(LIMITS, asked), {
      limits: { ...LIMITS, memory: 900, pids: 50 },
      lowered: ['memory', 'pids'],
      kept: ['cpus', 'disk'],
    });
    assert.deepEqual(lowerLimits(LIMITS, {}), { limits: LIMITS, lowered: [], kept: [] });
    assert.deepEqual(lowerLimits(LIMITS, { pids: 0 }), { limits: LIMITS, lowered: [], kept: [] });
  });

  test('of any two the lower ones are in force, whatever else a task is bound by', () => {
    const limit = fc.record({
      ...{ memory: fc.nat(9), cpus: fc.nat(9), pids: fc.nat(9) },
      ...{ disk: fc.nat(9), timeout: fc.nat(9), idleTimeout: fc.nat(9) },
    });
    const high = (value: number): number => value || Number.POSITIVE_INFINITY;
    fc.assert(
      fc.property(limit, limit, (own, asked) => {
        const { limits, lowered, kept } = lowerLimits({ ...own, journal: 7 }, asked);
        assert.equal(limits.journal, 7);
        for (const name of ['memory', 'cpus', 'pids', 'disk', 'timeout', 'idleTimeout'] as const) {
          assert.equal(high(limits[name]), Math.min(high(own[name]), high(asked[name])));
          assert.equal(lowered.includes(name), high(asked[name]) < high(own[name]));
          assert.equal(kept.includes(name), high(asked[name]) > high(own[name]));
        }
      }),
      { seed: SEED },
    );
  });

  test('are described by their keys in files', () => {
    assert.equal(describeLimits(LIMITS, ['cpus', 'idleTimeout']), 'cpus 2 cores, idle_timeout 10 s');
  });
});
