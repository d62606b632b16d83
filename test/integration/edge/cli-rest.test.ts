/** The command line against servers that misbehave, or know the documented routes only. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { COMMAND, encodeBytes, encodeEnd, encodeFrame, encodeLog } from '../../../proto/frame.ts';
import { type CliHome, type CliRun, openCliHome } from '../../support/cli.ts';
import { until } from '../../support/until.ts';

const ID = '11111111-0000-4000-8000-000000000001';
const TASK = {
  id: ID,
  name: 'artifact build',
  user: 'jane',
  state: 'running',
  result: 'unknown',
  submission: 1_767_225_600,
  place: '/w/1',
  io: { console: '/w/1/console.sock', interactive: false, journal: { path: '/w/1/task.journal' } },
  archives: [],
  artifact: 'hello',
};

type Route = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let home: CliHome;
let url: string;
/** Answers by path; everything else is the documented 404. */
const routes = new Map<string, Route>();
const asked: string[] = [];

before(async () => {
  home = openCliHome();
  server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(`${request.method} ${request.url}`);
    const route = routes.get(path);
    if (route) return route(request, response);
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":"not found"}\n');
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  routes.clear();
  asked.length = 0;
});
after(() => {
  server.closeAllConnections();
  server.close();
  home.remove();
});

const json =
  (value: unknown): Route =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(value)}\n`);
  };
const page =
  (status: number, html: string): Route =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html);
  };
const run = (...parameters: string[]): Promise<CliRun> => home.run(['--uri', `${url}/site`, ...parameters]);

describe('a server that knows the documented routes only', () => {
  it('lists the task that runs and those that wait', async () => {
    routes.set('/site/running.json', json(TASK));
    routes.set('/site/queue.json', json([]));
    const { code, stdout, stderr } = await run('list');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Running tasks:\n- id: 11111111[\s\S]*\n {2}artifact: hello\nNo pending task\n$/);
  });

  it('may run nothing', async () => {
    routes.set('/site/running.json', json(null));
    routes.set('/site/queue.json', json([]));
    assert.equal((await run('list')).stdout, 'No running task\nNo pending task\n');
  });

  it('may serve one instance, without a name in its paths', async () => {
    routes.set('/running.json', json(null));
    routes.set('/queue.json', json([]));
    const { code, stderr } = await home.run(['--uri', `${url}/`, 'list']);
    assert.equal(code, 0, stderr);
  });

  it('gets a plus in names and versions as a plus', async () => {
    const artifact = { architecture: 'x86_64', name: 'libg++', version: '1:1.0+b1', size: 7 };
    routes.set(
      '/site/pipelines/formats.json',
      json({ deb: [{ distribution: 'bookworm', environment: 'bookworm', derivatives: ['main'] }] }),
    );
    routes.set('/site/registry/deb/bookworm/main.json', json([artifact]));
    routes.set('/site/registry/deb/bookworm/main/x86_64/libg%2B%2B.json', json({ task: ID }));
    const { code, stdout, stderr } = await run(
      'registry',
      'delete',
      '-d',
      'bookworm',
      '-a',
      'libg++',
      '--batch',
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Submitted libg\+\+ 1:1\.0\+b1 \(x86_64\) deletion task 1111/);
    assert.equal(
      asked.at(-1),
      'DELETE /site/registry/deb/bookworm/main/x86_64/libg%2B%2B.json?version=1%3A1.0%2Bb1',
    );
  });
});

describe('a journal over HTTP', () => {
  const frames = [
    encodeLog('info', 'Building'),
    ...['one\n', 'two\n', 'three\n'].flatMap(text => encodeBytes(Buffer.from(text))),
    encodeEnd(true),
  ];
  const beat = encodeFrame(COMMAND.heartbeat);

  it('cut in the middle of a frame is taken up again, each line shown once', async () => {
    const whole = Buffer.concat(frames);
    let attempt = 0;
    routes.set(`/site/tasks/${ID}.json`, (request, response) =>
      json(attempt < 4 ? TASK : { ...TASK, state: 'finished', result: 'success' })(request, response),
    );
    routes.set(`/site/watch/${ID}.journal`, (_request, response) => {
      attempt++;
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const cuts = [20, 45, 50, whole.length];
      response.write(Buffer.concat([beat, whole.subarray(0, cuts[attempt - 1] ?? whole.length)]));
      if (attempt < 4) setTimeout(() => response.destroy(), 30);
      else response.end();
    });
    const { code, stdout, stderr } = await run('watch', ID);
    assert.equal(stdout, 'one\ntwo\nthree\n');
    assert.equal(stderr.match(/Building/g)?.length, 1);
    assert.equal(code, 0, stderr);
    assert.equal(attempt, 4);
  });

  it('is asked for from where it was cut of a server that knows offsets', async () => {
    const whole = Buffer.concat(frames);
    const end = whole.length - (frames.at(-1)?.length ?? 0);
    const asked: number[] = [];
    let shown = '';
    routes.set(`/site/tasks/${ID}.json`, (request, response) =>
      json(asked.length < 3 ? TASK : { ...TASK, state: 'finished', result: 'success' })(request, response),
    );
    routes.set(`/site/watch/${ID}.journal`, (request, response) => {
      const offset = Number(new URL(request.url ?? '', url).searchParams.get('offset') ?? 0);
      asked.push(offset);
      // At last the end, which is missing, has been given in another way.
      if (asked.length === 3) return page(416, '<p>it ends there</p>')(request, response);
      response.writeHead(200, { 'rackwright-offset': String(offset) });
      response.write(Buffer.concat([beat, whole.subarray(offset, asked.length === 1 ? 45 : end)]));
      // What was shown has come: a stream that breaks may take along what nobody has read yet.
      const last = asked.length === 1 ? 'two\n' : 'three\n';
      void until(() => shown.endsWith(last)).then(() => response.destroy());
    });
    const { code, stdout, stderr } = await home.run(['--uri', `${url}/site`, 'watch', ID], {
      onStart: child =>
        child.stdout?.on('data', chunk => {
          shown += chunk;
        }),
    });
    assert.equal(stdout, 'one\ntwo\nthree\n');
    assert.equal(code, 0, stderr);
    // Of "three" two bytes had come.
    assert.deepEqual(asked, [0, 43, end]);
  });

  it('that declares a monstrous frame is refused, not believed', async () => {
    routes.set(`/site/tasks/${ID}.json`, json(TASK));
    routes.set(`/site/watch/${ID}.journal`, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.end(Buffer.from([1, 0, 0, 0, 255, 255, 255, 127, 1, 2, 3]));
    });
    const { code, stderr } = await run('watch', ID);
    assert.equal(code, 1);
    assert.match(stderr, /the journal is damaged/);
  });

  it('whose end frame is missing leaves the result to the task', async () => {
    routes.set(`/site/tasks/${ID}.json`, json({ ...TASK, state: 'finished', result: 'failed' }));
    routes.set(`/site/watch/${ID}.journal`, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.end(frames[0]);
    });
    assert.equal((await run('watch', ID)).code, 3);
  });
});

describe('refusals in any dress', () => {
  const refusals: [name: string, route: Route, told: RegExp][] = [
    [
      'a page of 400',
      page(
        400,
        '<html><head><title>400</title></head><body><h1>Bad Request</h1><p>artifact &lt;x&gt; is bad</p></body></html>',
      ),
      /^rackwright: artifact <x> is bad\n$/,
    ],
    [
      'a page of 413',
      page(413, '<h1>Payload Too Large</h1><p>more than 5 GiB</p>'),
      /^rackwright: more than 5 GiB\n$/,
    ],
    ['a page of 500', page(500, '<h1>Internal Server Error</h1>'), /^rackwright: Internal Server Error\n$/],
    ['a page of 503', page(503, '<p>the daemon is away</p>'), /^rackwright: the daemon is away\n$/],
    [
      'JSON of 403',
      (_q, s) =>
        s.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"token has expired"}'),
      /^rackwright: token has expired\n$/,
    ],
    [
      'a problem document',
      (_q, s) =>
        s
          .writeHead(409, { 'content-type': 'application/problem+json' })
          .end('{"title":"Conflict","detail":"it has finished"}'),
      /^rackwright: it has finished\n$/,
    ],
    ['an empty 502', (_q, s) => s.writeHead(502).end(), /queue\.json: 502 Bad Gateway/],
    [
      'a page where JSON belongs',
      page(200, '<p>Welcome to the login page</p>'),
      /does not answer JSON: is it the right address\?/,
    ],
    ['a connection that is closed', (_q, s) => s.destroy(), /can't be reached/],
  ];
  for (const [name, route, told] of refusals) {
    it(name, async () => {
      routes.set('/site/running.json', json(null));
      routes.set('/site/queue.json', route);
      const { code, stdout, stderr } = await run('list');
      assert.match(stderr, told);
      assert.equal(code, 1);
      assert.equal(stdout, '');
    });
  }

  it('nobody there', async () => {
    // The near end of a connection: nobody listens there, and nobody else can begin to.
    const holder = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(holder, 'connect');
    const port = holder.localPort;
    const { code, stderr } = await home.run(['--uri', `http://127.0.0.1:${port}/site`, 'list']);
    holder.destroy();
    assert.equal(code, 1);
    assert.equal(stderr, `rackwright: http://127.0.0.1:${port} can't be reached: ECONNREFUSED\n`);
  });

  it('a token of another instance does not keep the server from being asked for its instances', async () => {
    routes.set('/instances.json', (request, response) =>
      request.headers.authorization
        ? response.writeHead(403).end()
        : json([{ id: 'site', name: 'Site', userid: '' }])(request, response),
    );
    let authorization: string | undefined;
    routes.set('/site/queue.json', (request, response) => {
      authorization = request.headers.authorization;
      json([])(request, response);
    });
    routes.set('/site/tasks.json', json([]));
    const { code, stderr } = await home.run(['--uri', url, 'list'], { env: { RACKWRIGHT_TOKEN: 'a.b.c' } });
    assert.equal(code, 0, stderr);
    assert.equal(authorization, 'Bearer a.b.c');
  });
});
