/** Journals over HTTP: whole, live, over a restart of the daemon, as text, and as a page. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  COMMAND,
  encodeBytes,
  encodeEnd,
  encodeFrame,
  encodeLog,
  type Frame,
  FrameReader,
} from '../../../proto/frame.ts';
import type { Task } from '../../../proto/types/rackwright/v1/Task.ts';
import { startTestEdge, type TestEdge } from '../../support/edge-home.ts';
import { scriptedTask, startScriptedDaemon } from '../../support/scripted-daemon.ts';
import { until } from '../../support/until.ts';

let edge: TestEdge;

before(async () => {
  edge = await startTestEdge('[edge]\nheartbeat = 1\n');
});
after(() => edge.stop());
afterEach(() => assert.deepEqual(edge.bugs, []));

function addTask(changes: Partial<Task>, journal: (Buffer | null)[]): string {
  const task = scriptedTask(changes);
  edge.world.tasks.push(task);
  edge.world.journals.set(task.id ?? '', journal);
  return task.id ?? '';
}

const done = { state: 'TASK_STATE_FINISHED', result: 'TASK_RESULT_SUCCESS' } as const;

async function watch(id: string, suffix = 'journal', init: RequestInit = {}): Promise<Response> {
  return fetch(`${edge.url}/default/watch/${id}.${suffix}`, init);
}

function framesOf(bytes: Uint8Array): Frame[] {
  const reader = new FrameReader();
  const frames = [...reader.push(bytes)];
  assert.equal(reader.pending, 0, 'cut at a frame boundary');
  return frames;
}

describe('the journal of a finished task', () => {
  it('is exactly the file, with the headers of a stream', async () => {
    const journal = [
      encodeLog('info', 'Building'),
      ...encodeBytes(Buffer.alloc(200_000, 65)),
      encodeEnd(true),
    ];
    const answer = await watch(addTask(done, [...journal, null]));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
    assert.equal(answer.headers.get('x-accel-buffering'), 'no');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    assert.equal(answer.headers.get('content-encoding'), null);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(Buffer.concat(journal)));
  });

  it('gets an end frame where an old file lacks one', async () => {
    const failed = {
      state: 'TASK_STATE_FINISHED',
      result: 'TASK_RESULT_FAILED',
      reason: 'interrupted',
    } as const;
    const id = addTask(failed, [encodeLog('info', 'Building'), null]);
    const frames = framesOf(new Uint8Array(await (await watch(id)).arrayBuffer()));
    assert.equal(frames.at(-1)?.payload.toString(), '20:Task failed: interrupted');
    const empty = addTask(done, [null]);
    assert.equal(framesOf(new Uint8Array(await (await watch(empty)).arrayBuffer())).length, 1);
  });

  it('is waited for, however long the daemon takes over it: nothing stands before it, and behind it is 416', async () => {
    const journal = [encodeLog('info', 'Building'), encodeEnd(true)];
    const id = addTask(done, [...journal, null]);
    edge.world.slow = 1500;
    try {
      const [whole, behind] = await Promise.all([
        watch(id),
        fetch(`${edge.url}/default/watch/${id}.journal?offset=1000`),
      ]);
      assert.ok(Buffer.from(await whole.arrayBuffer()).equals(Buffer.concat(journal)));
      assert.equal(behind.status, 416);
    } finally {
      edge.world.slow = 0;
    }
  });

  it('answers HEAD without waiting', async () => {
    const id = addTask({ state: 'TASK_STATE_RUNNING' }, []);
    const answer = await watch(id, 'journal', { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
  });
});

describe('the journal of a task under way', () => {
  it('is followed to its end, nothing lost or repeated, over a restart of the daemon', async () => {
    const journal: (Buffer | null)[] = [];
    const id = addTask({ state: 'TASK_STATE_RUNNING' }, journal);
    const answer = await watch(id);
    const expected = createHash('sha256');
    const add = (frame: Buffer) => {
      expected.update(frame);
      journal.push(frame);
    };
    const writer = (async () => {
      for (let index = 0; index < 60; index++) {
        add(encodeFrame(COMMAND.bytes, Buffer.from(`line ${index}\n`)));
        await new Promise(resolve => setTimeout(resolve, 10));
        if (index !== 30) continue;
        await edge.daemon.stop();
        await new Promise(resolve => setTimeout(resolve, 300));
        edge.daemon = await startScriptedDaemon(edge.home, edge.world);
      }
      add(encodeEnd(true));
      journal.push(null);
    })();
    const seen = createHash('sha256');
    for (const frame of framesOf(new Uint8Array(await answer.arrayBuffer()))) {
      if (frame.command !== COMMAND.heartbeat) seen.update(encodeFrame(frame.command, frame.payload));
    }
    await writer;
    assert.equal(seen.digest('hex'), expected.digest('hex'));
  });

  it('is followed over a restart of the daemon before the task has said anything, too', async () => {
    const journal: (Buffer | null)[] = [];
    const answer = await watch(addTask({ state: 'TASK_STATE_RUNNING' }, journal));
    await edge.daemon.stop();
    edge.daemon = await startScriptedDaemon(edge.home, edge.world);
    journal.push(encodeLog('info', 'Building'), encodeEnd(true), null);
    const frames = framesOf(new Uint8Array(await answer.arrayBuffer()));
    assert.deepEqual(
      frames.filter(({ command }) => command !== COMMAND.heartbeat).map(({ payload }) => payload.toString()),
      ['20:Building', '20:Task succeeded'],
    );
  });

  it('starts with a heartbeat while the task is pending', async () => {
    const journal: (Buffer | null)[] = [];
    const id = addTask({}, journal);
    const answer = await watch(id);
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    assert.equal(framesOf(value ?? new Uint8Array())[0]?.command, COMMAND.heartbeat);
    journal.push(encodeEnd(true), null);
    const { value: next } = (await reader?.read()) ?? {};
    assert.match(Buffer.from(next ?? []).toString(), /Task succeeded/);
    await reader?.cancel();
  });

  it('is given up for whoever leaves, however early', async () => {
    const id = addTask({ state: 'TASK_STATE_RUNNING' }, [encodeLog('info', 'Building')]);
    for (let left = 0; left < 150; left++) {
      const socket = connect(edge.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      socket.write(`GET /default/watch/${id}.journal HTTP/1.1\r\nhost: x\r\n\r\n`);
      // Within the time that it takes to ask who they are and which task it is.
      await new Promise(resolve => (left % 3 === 0 ? setImmediate(resolve) : setTimeout(resolve, left % 3)));
      socket.resetAndDestroy();
    }
    const stays = await watch(id);
    assert.equal(stays.status, 200);
    await until(async () => edge.world.following === 1);
    await stays.body?.cancel();
    await until(async () => edge.world.following === 0);
  });

  it('ends at a frame boundary when the edge stops', async () => {
    const other = await startTestEdge();
    const task = scriptedTask({ state: 'TASK_STATE_RUNNING' });
    other.world.tasks.push(task);
    other.world.journals.set(task.id ?? '', [encodeLog('info', 'Building')]);
    const answer = await fetch(`${other.url}/default/watch/${task.id}.journal`);
    const reader = answer.body!.getReader();
    const bytes: Uint8Array[] = [];
    const said = (): Frame[] =>
      [...new FrameReader().push(Buffer.concat(bytes))].filter(({ command }) => command === COMMAND.log);
    while (said().length === 0) bytes.push((await reader.read()).value!);
    const stopped = other.stop();
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read())
      bytes.push(value);
    framesOf(Buffer.concat(bytes));
    assert.equal(said().length, 1);
    await stopped;
  });

  it('goes on from an offset', async () => {
    const journal = [encodeLog('info', 'One'), encodeLog('info', 'Two'), encodeEnd(true), null];
    const id = addTask(done, journal);
    const offset = journal[0]?.length ?? 0;
    const answer = await fetch(`${edge.url}/default/watch/${id}.journal?offset=${offset}`);
    assert.deepEqual(
      framesOf(new Uint8Array(await answer.arrayBuffer())).map(frame => frame.payload.toString()),
      ['20:Two', '20:Task succeeded'],
    );
  });
});

describe('logs for readers', () => {
  const hostile = Buffer.from(
    'a\u001b[31mred\u001b[0m\u001b]0;title\u0007b\u001bP1;2|x\u001b\\c\r\nprogress 1\rprogress 2\r\n\u001b]52;c;ZXZpbA==\u001b\\<script>\n',
  );

  it('show output as text, every escape sequence taken out wherever it is cut', async () => {
    const id = addTask(done, [
      encodeLog('info', 'Building'),
      ...[...hostile].map(byte => encodeFrame(COMMAND.bytes, Buffer.from([byte]))),
      encodeLog('error', 'no \u001b[2Jluck'),
      encodeEnd(true),
      null,
    ]);
    const answer = await watch(id, 'txt');
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(
      await answer.text(),
      'Building\naredbc\nprogress 1\nprogress 2\n<script>\nerror: no luck\nTask succeeded\n',
    );
  });

  it('come as one JSON object a line', async () => {
    const id = addTask(done, [
      encodeLog('warning', 'Careful'),
      ...encodeBytes(Buffer.from('out\n')),
      encodeEnd(false, 'why'),
      null,
    ]);
    const lines = (await (await watch(id, 'ndjson')).text()).trim().split('\n');
    assert.deepEqual(
      lines.map(line => JSON.parse(line)),
      [
        { type: 'log', level: 'warning', text: 'Careful' },
        { type: 'output', text: 'out\n' },
        { type: 'end', result: 'failed', reason: 'why' },
      ],
    );
  });

  it('stand escaped on the page of a task, which follows a live one', async () => {
    const finished = addTask(done, [
      encodeLog('info', '<img src=x>'),
      ...encodeBytes(hostile),
      encodeEnd(true),
      null,
    ]);
    const page = await watch(finished, 'html');
    const text = await page.text();
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/);
    assert.match(text, /&lt;img src=x&gt;/);
    assert.match(text, /&lt;script&gt;/);
    assert.doesNotMatch(text, /<img|\u001b|data-follow/);
    const running = addTask({ state: 'TASK_STATE_RUNNING' }, [encodeLog('info', 'Building')]);
    assert.match(
      await (await watch(running, 'html')).text(),
      new RegExp(`data-follow="/default/watch/${running}.ndjson\\?offset=\\d+"`),
    );
    assert.equal((await watch('nope', 'html')).headers.get('content-type'), 'text/html; charset=utf-8');
  });
});

describe('pages', () => {
  it('show instances, registry, tasks and search, and nothing that would run', async () => {
    edge.world.artifacts.push({
      format: 'deb',
      distribution: 'bookworm',
      derivative: 'main',
      architecture: 'x86_64',
      name: 'hello',
      version: '1+b',
      size: 2048,
    });
    for (const [path, words] of [
      ['/', /Example/],
      ['/default/', /keyring\.asc/],
      ['/default/registry/', /bookworm/],
      ['/default/registry/deb/', /bookworm/],
      ['/default/registry/deb/bookworm/', /main/],
      ['/default/registry/deb/bookworm/main/', /1\+b[\s\S]*2\.0 KiB[\s\S]*URIs: http:\/\/127/],
      ['/default/registry/deb/bookworm/main/x86_64/hello/?version=1%2Bb', /\/usr\/bin\/hello/],
      ['/default/search?artifact=ell', /hello/],
      ['/default/search', /Type a part/],
      ['/default/tasks/', /artifact build/],
    ] as const) {
      const answer = await fetch(edge.url + path);
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path} ${text}`);
      assert.match(text, words, path);
      assert.match(text, /<html lang="en">/);
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
    const style = await fetch(`${edge.url}/static/rackwright.css`);
    assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8');
    const again = await fetch(`${edge.url}/static/rackwright.css`, {
      headers: { 'if-none-match': style.headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
  });
});
