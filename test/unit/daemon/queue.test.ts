/** The queue: order, caps and exclusion hold whatever happens, and nothing waits for ever. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { claimsOf } from '../../../daemon/core/claims.ts';
import { compare, type Entry, Queue } from '../../../daemon/core/queue.ts';
import { SEED, scaled } from '../../support/scale.ts';

const NONE = { write: [], read: [], makes: null };

function entry(id: string, more: Partial<Entry> = {}): Entry {
  return { id, instance: 'a', priority: 0, rank: Number(id), claims: NONE, ...more };
}

/** Starts everything that may start; ids in the order in which they did. */
function drain(queue: Queue): string[] {
  const started: string[] = [];
  for (let next = queue.next(); next; next = queue.next()) {
    queue.begin(next.id);
    started.push(next.id);
  }
  return started;
}

describe('the queue', () => {
  test('starts tasks first in, first out within a priority, higher priorities first', () => {
    const queue = new Queue({ total: 10, perInstance: 10 });
    queue.add(entry('1'));
    queue.add(entry('2', { priority: 5 }));
    queue.add(entry('3'));
    queue.add(entry('4', { priority: 5 }));
    assert.deepEqual(drain(queue), ['2', '4', '1', '3']);
  });

  test('puts what was interrupted before every priority', () => {
    const queue = new Queue({ total: 10, perInstance: 10 });
    queue.add(entry('1', { priority: 100 }));
    queue.add(entry('9', { rank: -1 }));
    queue.add(entry('8', { rank: -2 }));
    assert.deepEqual(drain(queue), ['8', '9', '1']);
  });

  test('keeps to the caps, and says who is in the way', () => {
    const queue = new Queue({ total: 3, perInstance: 2 });
    for (const id of ['1', '2', '3']) queue.add(entry(id));
    for (const id of ['4', '5']) queue.add(entry(id, { instance: 'b' }));
    assert.equal(drain(queue).length, 3);
    assert.equal(queue.reason('3'), 'all 3 workers are busy');
    queue.end('4');
    assert.match(queue.reason('3'), /all 2 workers of the instance are busy|about to start/);
    assert.deepEqual(drain(queue), ['5']);
  });

  test('lets no task overtake an earlier one on the same thing, but past it on others', () => {
    const queue = new Queue({ total: 10, perInstance: 10 });
    const writes = (thing: string) => ({ claims: { write: [thing], read: [], makes: null } });
    const reads = (thing: string) => ({ claims: { write: [], read: [thing], makes: null } });
    queue.add(entry('1', reads('a: x')));
    queue.begin('1');
    queue.add(entry('2', writes('a: x')));
    queue.add(entry('3', reads('a: x')));
    queue.add(entry('4', writes('a: y')));
    assert.deepEqual(drain(queue), ['4']);
    assert.equal(queue.reason('2'), 'waits for task 1, which holds x');
    queue.end('1');
    assert.deepEqual(drain(queue), ['2']);
    queue.end('2');
    assert.deepEqual(drain(queue), ['3']);
  });

  test('keeps a blocked task back without holding up the others', () => {
    const queue = new Queue({ total: 10, perInstance: 10 });
    queue.add(entry('1'));
    queue.add(entry('2'));
    queue.block('1', 'waits for the signing keyring');
    assert.deepEqual(drain(queue), ['2']);
    assert.equal(queue.reason('1'), 'waits for the signing keyring');
    queue.unblock('1');
    assert.deepEqual(drain(queue), ['1']);
  });

  test('knows who makes a thing, from submission to the end', () => {
    const queue = new Queue({ total: 1, perInstance: 1 });
    const claims = claimsOf('a', { type: 'keyring-creation' });
    queue.add(entry('1', { claims }));
    assert.equal(queue.makerOf('a: keyring'), '1');
    queue.begin('1');
    assert.equal(queue.makerOf('a: keyring'), '1');
    queue.end('1');
    assert.equal(queue.makerOf('a: keyring'), null);
  });

  test('lets a registry be published to while it is verified, and verified once at a time', () => {
    const queue = new Queue({ total: 3, perInstance: 3 });
    const place = { format: 'deb', distribution: 'bookworm', derivative: 'main', parameters: {} } as const;
    const claims = (action: 'verification' | 'rollback') =>
      claimsOf('a', { type: 'registry', action, ...place });
    for (const id of ['1', '2']) queue.add(entry(id, { claims: claims('verification') }));
    queue.add(entry('3', { claims: claims('rollback') }));
    assert.deepEqual(drain(queue), ['1', '3']);
  });

  test('tells positions, and moves a task whose priority changes', () => {
    const queue = new Queue({ total: 1, perInstance: 1 });
    for (const id of ['1', '2', '3']) queue.add(entry(id));
    assert.deepEqual(
      ['1', '2', '3', '4'].map(id => queue.position(id)),
      [1, 2, 3, 0],
    );
    queue.reprioritise('3', 1);
    assert.equal(queue.position('3'), 1);
  });

  test('holds its promises over random lives', () => {
    const things = ['a: x', 'a: y', 'b: z'];
    const life = fc.array(
      fc.record({
        act: fc.constantFrom('add', 'add', 'add', 'next', 'next', 'end', 'remove'),
        instance: fc.constantFrom('a', 'b'),
        priority: fc.integer({ min: -2, max: 2 }),
        front: fc.boolean(),
        write: fc.subarray(things),
        read: fc.subarray(things),
        pick: fc.nat(1000),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(life, steps => {
        const caps = { total: 3, perInstance: 2 };
        const queue = new Queue(caps);
        const waiting = new Map<string, Entry>();
        const running = new Map<string, Entry>();
        const start = (): void => {
          for (let next = queue.next(); next; next = queue.next()) {
            const chosen = next;
            assert.ok(waiting.delete(chosen.id), 'only what waits starts');
            for (const other of running.values())
              assert.ok(!conflict(chosen, other), 'conflicting tasks run');
            for (const other of waiting.values()) {
              const earlier = other.instance === chosen.instance && compare(other, chosen) < 0;
              const free = [...running.values()].every(it => !conflict(other, it));
              assert.ok(!(earlier && free && conflict(other, chosen)), 'a free earlier task was overtaken');
            }
            queue.begin(chosen.id);
            running.set(chosen.id, chosen);
            assert.ok(running.size <= caps.total);
            const here = [...running.values()].filter(it => it.instance === chosen.instance);
            assert.ok(here.length <= caps.perInstance);
          }
        };
        let rank = 0;
        let front = -1;
        for (const step of steps) {
          if (step.act === 'add') {
            const { instance, priority, write } = step;
            const read = step.read.filter(thing => !write.includes(thing));
            const claims = { write, read, makes: null };
            const added = { id: `${rank}`, instance, priority, rank: step.front ? front-- : rank, claims };
            rank++;
            queue.add(added);
            waiting.set(added.id, added);
          } else if (step.act === 'next') start();
          else {
            const pool = [...(step.act === 'end' ? running : waiting).keys()];
            const id = pool[step.pick % Math.max(1, pool.length)];
            if (id === undefined) continue;
            if (step.act === 'end') queue.end(id);
            else queue.remove(id);
            (step.act === 'end' ? running : waiting).delete(id);
          }
          assert.equal(queue.waiting, waiting.size);
          assert.equal(queue.running, running.size);
        }
        // Whatever has happened, everything that waits runs in the end.
        for (let turn = 0; turn < 500 && waiting.size + running.size > 0; turn++) {
          start();
          for (const id of running.keys()) queue.end(id);
          running.clear();
        }
        assert.equal(waiting.size, 0, 'a task waits for ever');
      }),
      { seed: SEED, numRuns: scaled(5000, 0.06) },
    );
  });
});

function conflict(a: Entry, b: Entry): boolean {
  const hits = (one: Entry, other: Entry): boolean =>
    one.claims.write.some(thing => [...other.claims.write, ...other.claims.read].includes(thing));
  return hits(a, b) || hits(b, a);
}
