/** Renderers that crash, hang or grow: their request gets a clear fault, the next one works; inventories change without restart. */
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Renderer } from '../../../daemon/pool/renderer.ts';
import { Fault } from '../../../proto/fault.ts';
import { requestFor } from '../../support/drawing.ts';
import { EXAMPLE, openDrawingService } from '../../support/drawing-service.ts';
import { largeInventory } from '../../support/large-inventory.ts';
import { until } from '../../support/until.ts';

const NEVER = new AbortController().signal;

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('it worked');
}

/** A drawing that takes its time: the ink of many labels. */
const slow = (width = 9000): string =>
  `dimensions: {width: ${width}, height: 9000}\ngeneral: {min_font_size: 2}`;
/** Milliseconds that no answer takes, however slow the machine. */
const AMPLE = 600_000;

test('a renderer that is killed while drawing fails that drawing in words, and the next one works', async () => {
  const service = await openDrawingService({ inventory: largeInventory(4, 20, 41), renderers: 1 });
  try {
    let fault: Fault | null = null;
    // Once more, another one, where it was ready before the kill came.
    for (let width = 9000; fault === null; width--) {
      const drawing = requestFor('infrastructure', 'large', slow(width));
      const drawn = service.renderers.draw(drawing, '', NEVER).then(
        () => null,
        thrown => thrown,
      );
      await sleep(50);
      const killed = service.renderers.pids();
      for (const pid of killed) process.kill(pid, 'SIGKILL');
      fault = await drawn;
      await until(() => !service.renderers.pids().some(pid => killed.includes(pid)));
    }
    assert.deepEqual([fault.kind, fault.reason], ['unavailable', 'renderer-failed']);
    assert.match(fault.message, /given up: the renderer ended unexpectedly \(SIGKILL\)/);
    const next = await fetch(`${service.base}/v0.5.0/draw/room/hall.png`);
    assert.equal(next.status, 200);
  } finally {
    await service.close();
  }
});

test('a renderer that hangs is given up at the deadline with 503, and the next one works', async () => {
  const service = await openDrawingService({ renderers: 1 });
  try {
    assert.equal((await fetch(`${service.base}/v0.5.0/draw/room/hall.png`)).status, 200);
    const { deadline } = service.settings;
    service.settings.deadline = 1500;
    for (const pid of service.renderers.pids()) process.kill(pid, 'SIGSTOP');
    const late = await fetch(`${service.base}/v0.5.0/draw/infrastructure/demo.png`);
    assert.equal(late.status, 503);
    assert.ok(late.headers.has('retry-after'));
    assert.match(
      ((await late.json()) as { description: string }).description,
      /took longer than \d s|No renderer was free/,
    );
    service.settings.deadline = deadline;
    assert.equal((await fetch(`${service.base}/v0.5.0/draw/infrastructure/demo.svg`)).status, 200);
  } finally {
    await service.close();
  }
});

test('a renderer that outgrows its memory is killed with a clear fault', async () => {
  const renderer = new Renderer({ env: process.env, memory: 64 * 1024 ** 2 });
  const { database } = await (async () => {
    const service = await openDrawingService({ inventory: largeInventory(4, 20, 41) });
    const reading = service.renderers.status().served;
    await service.close();
    return { database: reading };
  })();
  assert.ok(database);
  const fault = await faultOf(
    (async () => {
      for (let round = 0; round < 20; round++) {
        await renderer.ask({ type: 'adopt', snapshot: database.snapshot, findings: [] }, AMPLE);
        await renderer.ask({ type: 'plan', request: requestFor('infrastructure', 'large', slow()) }, AMPLE);
        await renderer.ask({ type: 'ink' }, AMPLE);
      }
    })(),
  );
  assert.equal(fault.reason, 'renderer-failed');
  assert.match(fault.message, /needed more than 64 MiB of memory/);
  await renderer.gone;
});

test('more than 64 waiting are refused with 503 while the rest is drawn', async () => {
  const service = await openDrawingService({ renderers: 1 });
  try {
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        fetch(`${service.base}/v0.5.0/draw/infrastructure/demo.svg?parameters.margin.top=${index + 1}`).then(
          async answer => {
            await answer.arrayBuffer();
            return answer.status;
          },
        ),
      ),
    );
    assert.ok(
      answers.includes(200) && answers.every(status => status === 200 || status === 503),
      String(answers),
    );
    assert.ok(answers.filter(status => status === 200).length >= 65, String(answers));
  } finally {
    await service.close();
  }
});

test('a changed inventory is served without restart, and a faulty one leaves the last good one', async () => {
  const service = await openDrawingService();
  const names = async () =>
    (await (await fetch(`${service.base}/v0.5.0/infrastructures?list`)).json()) as string[];
  /** At once: half of it would be refused as another fault. */
  const replace = (text: string): void => {
    writeFileSync(`${service.database}.new`, text);
    renameSync(`${service.database}.new`, service.database);
  };
  try {
    assert.deepEqual(await names(), ['demo']);
    replace(EXAMPLE.replace('{demo:', '{other:'));
    await until(async () => (await names())[0] === 'other');
    replace(EXAMPLE.replace('type: sw,', 'type: nope,'));
    await until(() => service.renderers.status().faults.length > 0);
    assert.deepEqual(await names(), ['other']);
    const { status } = await service.inventories.getStatus({});
    assert.match(status?.faults[0] ?? '', /inventory\.yml:\d+:\d+: infrastructures.*refers to nope/);
    assert.ok((status?.loaded ?? 0) > 0);
    // In place, as other editors write.
    writeFileSync(service.database, EXAMPLE);
    await until(async () => (await names())[0] === 'demo');
    assert.deepEqual(service.renderers.status().faults, []);
  } finally {
    await service.close();
  }
});

test('without a good inventory, requests are told which file and line is wrong', async () => {
  const service = await openDrawingService({ inventory: EXAMPLE.replace('type: sw,', 'type: nope,') });
  try {
    const answer = await fetch(`${service.base}/v0.5.0/nodes`);
    assert.equal(answer.status, 503);
    assert.match(
      ((await answer.json()) as { description: string }).description,
      /no inventory to serve: .*inventory\.yml:\d+:\d+: .*nope/,
    );
  } finally {
    await service.close();
  }
});

test('a caller that leaves ends nothing for others who asked the same', async () => {
  const service = await openDrawingService({ inventory: largeInventory(4, 20, 41), renderers: 1 });
  try {
    const leaving = new AbortController();
    const request = requestFor('infrastructure', 'large');
    const first = faultOf(service.renderers.draw(request, '', leaving.signal));
    const second = service.renderers.draw(request, '', NEVER);
    leaving.abort();
    assert.equal((await first).kind, 'cancelled');
    assert.ok(((await second).inked?.image.length ?? 0) > 1000);
  } finally {
    await service.close();
  }
});

test('a caller who has left before its drawing fails is missed by nobody', async () => {
  const service = await openDrawingService();
  try {
    const left = await faultOf(
      service.renderers.draw(requestFor('room', 'nowhere'), '', AbortSignal.abort()),
    );
    assert.equal(left.kind, 'cancelled');
    // Drawn behind the first: that one has failed by then, which nobody hearing of it would end the process.
    const stays = await faultOf(service.renderers.draw(requestFor('room', 'elsewhere'), '', NEVER));
    assert.match(stays.message, /elsewhere/);
  } finally {
    await service.close();
  }
});
