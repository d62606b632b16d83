/** When the watch over a task's limits speaks, by a clock of the test's own. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LimitWatch, type Watched } from '../../../workers/limits.ts';
import { LIMITS } from '../../support/attempt.ts';

interface Scene {
  limits: Partial<typeof LIMITS>;
  lastOutput: number;
  isRunning: boolean;
}

/** A watch whose time passes by hand, in looks of half a second; answers what it has told first. */
function watching(t: TestContext, scene: Scene): { pass: (seconds: number) => void; told: () => string } {
  let now = 0;
  t.mock.timers.enable({ apis: ['setInterval'] });
  t.mock.method(performance, 'now', () => now);
  const told: string[] = [];
  const watched: Watched = {
    limits: () => ({ ...LIMITS, timeout: 0, idleTimeout: 0, ...scene.limits }),
    lastOutput: () => scene.lastOutput,
    isRunning: () => scene.isRunning,
    outOfMemory: () => 0,
    measure: async () => 0,
  };
  const watch = new LimitWatch(watched, fault => told.push(fault.reason));
  t.after(() => watch.close());
  return {
    pass: seconds => {
      for (let look = 0; look < seconds * 2; look++) {
        now += 500;
        t.mock.timers.tick(500);
      }
    },
    told: () => told[0] ?? '',
  };
}

test('silence is told beyond its limit, and output begins it anew', t => {
  const scene = { limits: { idleTimeout: 10 }, lastOutput: 0, isRunning: true };
  const { pass, told } = watching(t, scene);
  pass(10);
  assert.equal(told(), '');
  scene.lastOutput = 9000;
  pass(9);
  assert.equal(told(), '');
  pass(0.5);
  assert.equal(told(), 'timeout-idle');
});

test('silence counts only while a program runs, and total time always', t => {
  const scene = { limits: { idleTimeout: 10, timeout: 100 }, lastOutput: 0, isRunning: false };
  const { pass, told } = watching(t, scene);
  pass(60);
  scene.isRunning = true;
  pass(10);
  assert.equal(told(), '');
  scene.isRunning = false;
  pass(30);
  assert.equal(told(), '');
  pass(0.5);
  assert.equal(told(), 'timeout-total');
});

test('limits that are lowered meanwhile are those that count', t => {
  const scene: Scene = { limits: { idleTimeout: 1000 }, lastOutput: 0, isRunning: true };
  const { pass, told } = watching(t, scene);
  pass(20);
  assert.equal(told(), '');
  scene.limits = { idleTimeout: 10 };
  pass(0.5);
  assert.equal(told(), 'timeout-idle');
});
