/** The documented REST interface of drawings and views, over real renderers, gRPC and HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EXAMPLE, openDrawingService } from '../../support/drawing-service.ts';

let service: Awaited<ReturnType<typeof openDrawingService>>;
before(async () => {
  service = await openDrawingService();
});
after(() => service.close());

const DEMO = '/v0.5.0/draw/infrastructure/demo.png';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(service.base + path, init);
  const body = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    type: response.headers.get('content-type'),
    body,
  };
}

function post(path: string, type: string | null, body: string | Buffer, more: Record<string, string> = {}) {
  // A Uint8Array has no type of its own that fetch would add.
  const headers = { ...(type === null ? {} : { 'content-type': type }), ...more };
  return ask(path, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
}

async function refused(answer: ReturnType<typeof ask>, status: number, description: RegExp) {
  const { status: got, type, body } = await answer;
  assert.equal(got, status, body.toString());
  assert.equal(type, 'application/json');
  const told = JSON.parse(body.toString());
  assert.equal(told.code, status);
  assert.equal(typeof told.name, 'string');
  assert.match(told.description, description);
  return told;
}

test('images of each kind have their type, and begin as such files do', async () => {
  for (const [entity, name] of [
    ['infrastructure', 'demo'],
    ['room', 'hall'],
    ['rack', 'A2'],
  ]) {
    const png = await ask(`/v0.5.0/draw/${entity}/${name}.png`);
    assert.deepEqual([png.status, png.type], [200, 'image/png']);
    assert.ok(png.body.subarray(0, 4).equals(PNG));
    const svg = await ask(`/v0.6.0/draw/${entity}/${name}.svg`);
    assert.deepEqual([svg.status, svg.type], [200, 'image/svg+xml; charset=utf-8']);
    assert.match(
      svg.body.toString(),
      /^<\?xml[^>]*>\n<svg [^>]*width="\d+" height="\d+" viewBox="0 0 \d+ \d+"/,
    );
    const pdf = await ask(`/v0.5.7/draw/${entity}/${name}.pdf`);
    assert.deepEqual(
      [pdf.status, pdf.type, pdf.body.subarray(0, 5).toString()],
      [200, 'application/pdf', '%PDF-'],
    );
  }
});

test('JSON and YAML bodies draw the same picture', async () => {
  const wanted = { dimensions: { width: 500 } };
  const json = await post(DEMO, 'application/json', JSON.stringify(wanted));
  const types = [
    'application/x-yaml',
    'application/yaml; charset=utf-8',
    'text/yaml',
    'text/x-yaml; charset="UTF-8"',
    'Application/X-YAML',
  ];
  for (const type of types) {
    const yaml = await post(DEMO, type, 'dimensions:\n  width: 500\n');
    assert.equal(yaml.status, 200, type);
    assert.ok(yaml.body.equals(json.body));
  }
  assert.ok((await post(DEMO, 'application/vnd.site+json', JSON.stringify(wanted))).body.equals(json.body));
  assert.ok((await ask(`${DEMO}?parameters.dimensions.width=500`)).body.equals(json.body));
  assert.ok(
    !(await post(`${DEMO}?parameters.dimensions.width=500`, 'text/anything', '')).body.equals(json.body),
  );
});

test('one request never changes another', async () => {
  const before = await ask(DEMO);
  await post(
    DEMO,
    'application/json',
    '{"colors":{"racks":[{"frame":"#FF0000"}]},"general":{"theme":"dark"}}',
  );
  await ask(`${DEMO}?parameters.rack.labels=no`);
  const again = await post(DEMO, 'application/json', '{}');
  assert.ok(again.body.equals(before.body));
});

test('bodies of other types, charsets and encodings are 415', async () => {
  for (const [type, more] of [
    ['text/plain', {}],
    ['application/json; charset=utf-16', {}],
    [null, {}],
    ['', {}],
    ['x', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ] as const)
    await refused(post(DEMO, type, '{}', more), 415, /^Unsupported request body format$/);
  assert.equal((await post(DEMO, null, '')).status, 200);
});

/** Method, path, type, body; status and description. */
const REFUSED: readonly (readonly [string, string, string | null, string, number, RegExp])[] = [
  [
    'POST',
    DEMO,
    'application/json',
    '{"rack":',
    400,
    /^Unable to load drawing parameters: .*\(line 1, column 9\)/,
  ],
  ['POST', DEMO, 'application/json', 'rack: {spacing: 1}', 400, /^Unable to load drawing parameters: /],
  ['POST', DEMO, 'application/x-yaml', 'rack: [', 400, /line 1, column/],
  [
    'POST',
    DEMO,
    'application/x-yaml',
    'rack:\n  u_heigth: 3',
    400,
    /rack\.u_heigth: unknown property \(line 2, column 3\), did you mean u_height\?$/,
  ],
  [
    'POST',
    DEMO,
    'application/json',
    '{"dimensions":{"width":0}}',
    400,
    /dimensions\.width: must be between 1 and 20000/,
  ],
  ['POST', DEMO, 'application/json', '{"dimensions":{"width":1,"height":1}}', 400, /no room for the drawing/],
  [
    'POST',
    DEMO,
    'application/json',
    '{"dimensions":{"width":20000,"height":20000}}',
    400,
    /at most 20000 px a side and 100 million pixels/,
  ],
  [
    'POST',
    DEMO,
    'application/json',
    '{"infrastructure":{"equipment_tags":["none"]}}',
    400,
    /^Unable to find racks to draw with filters provided in drawing parameters$/,
  ],
  ['POST', DEMO, 'application/json', `"${'x'.repeat(1024 * 1024)}"`, 413, /large/],
  ['GET', '/v0.5.0/draw/infrastructure/demo.gif', null, '', 400, /^Unsupported image format gif$/],
  ['GET', '/v0.5.0/draw/infrastructure/demo', null, '', 400, /^Unsupported image format $/],
  ['GET', '/v0.5.0/draw/shelf/demo.png', null, '', 400, /^Unable to draw entity shelf$/],
  ['GET', `${DEMO}?coordinates&coordinates_format=xml`, null, '', 400, /^Unsupported coordinates format$/],
  ['GET', `${DEMO}?parameters.rack.u_height=-4`, null, '', 400, /rack\.u_height: must be between/],
  [
    'GET',
    '/v0.5.0/draw/infrastructure/nope.png',
    null,
    '',
    404,
    /^Unable to find infrastructure nope in database$/,
  ],
  ['GET', '/v0.5.0/draw/room/a%2Fb.c.png', null, '', 404, /^Unable to find room a\/b\.c in database$/],
  ['GET', '/v0.4.0/draw/room/hall.png', null, '', 404, /v0\.5\.0 or v0\.6\.0/],
  ['GET', '/v0.5.0/nothing', null, '', 404, /Nothing is at/],
  ['PUT', DEMO, 'application/json', '{}', 405, /not possible/],
  ['POST', '/v0.5.0/nodes', 'application/json', '{}', 405, /not possible/],
  ['GET', '/v0.5.0/tags', null, '', 400, /without node, infrastructure or datacenter/],
  ['GET', '/v0.5.0/tags?node=zz', null, '', 404, /^Unable to find node zz$/],
  ['GET', '/v0.5.0/nodes?format=xml', null, '', 400, /Unsupported format xml/],
];

for (const [method, path, type, body, status, description] of REFUSED) {
  test(`${method} ${path.slice(0, 70)} ${body.slice(0, 50)} is ${status}, in JSON`, async () => {
    const init: RequestInit = { method, ...(type === null ? {} : { headers: { 'content-type': type } }) };
    if (method !== 'GET') init.body = new Uint8Array(Buffer.from(body));
    await refused(ask(path, init), status, description);
  });
}

test('405 tells what is possible', async () => {
  assert.equal((await ask(DEMO, { method: 'DELETE' })).headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
});

test('faults of parameters come as a list with places', async () => {
  const told = await refused(
    post(DEMO, 'application/x-yaml', 'rack:\n  spacing: x\n  offset: -1\n'),
    400,
    /spacing.*offset/,
  );
  assert.deepEqual(
    told.errors.map(({ path, line, column }: { path: string; line: number; column: number }) => [
      path,
      line,
      column,
    ]),
    [
      ['rack.spacing', 2, 12],
      ['rack.offset', 3, 11],
    ],
  );
});

test('the ETag is the same for the same picture, and answers 304 to GET and HEAD', async () => {
  const first = await ask(DEMO);
  const etag = first.headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]+"$/);
  assert.equal(first.headers.get('cache-control'), 'no-cache');
  for (const method of ['GET', 'HEAD'])
    for (const held of [etag, `"other", W/${etag}`, '*']) {
      const again = await ask(DEMO, { method, headers: { 'if-none-match': held } });
      assert.deepEqual([again.status, again.body.length], [304, 0], `${method} ${held}`);
    }
  assert.equal((await ask(`${DEMO}?parameters.rack.spacing=3`)).headers.get('etag'), etag);
  assert.notEqual((await ask(`${DEMO}?parameters.rack.spacing=4`)).headers.get('etag'), etag);
  assert.notEqual((await ask(`${DEMO}?coordinates`)).headers.get('etag'), etag);
  const head = await ask(DEMO, { method: 'HEAD' });
  assert.deepEqual(
    [head.status, head.headers.get('content-length'), head.body.length],
    [200, String(first.body.length), 0],
  );
});

test('equal requests at one time share one drawing', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask(`${DEMO}?parameters.margin.top=77`)),
  );
  assert.equal(new Set(answers.map(({ headers }) => headers.get('etag'))).size, 1);
  assert.ok(answers.every(({ status }) => status === 200));
});

test('the form is written exactly: CRLF, file names, no preamble, a boundary of its own', async () => {
  const body = '{"general":{"pixel_perfect":true},"dimensions":{"width":666,"height":1100}}';
  const { type, body: form } = await post(`${DEMO}?coordinates`, 'application/json', body);
  const boundary = /^multipart\/form-data; boundary=([0-9a-f]{32,64})$/.exec(type ?? '')?.[1] ?? '';
  const text = form.toString('latin1');
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="demo.png"\r\nContent-Type: image/png\r\n\r\n`;
  assert.ok(text.startsWith(head));
  const tail = `\r\n--${boundary}\r\nContent-Disposition: form-data; name="coordinates"; filename="coordinates.json"\r\nContent-Type: application/json\r\n\r\n{"cn1":[354,1048,86,22],"cn2":[441,1048,86,22],"cn3":[527,1048,86,22],"cn4":[354,1026,86,22],"sw1":[353,850,260,22]}\r\n--${boundary}--\r\n`;
  assert.ok(text.endsWith(tail), text.slice(-400));
  assert.equal(text.split(boundary).length, 4);
});

test('coordinates come as YAML, as rectangles of racks in rooms, and in full', async () => {
  const form = async (path: string) => {
    const response = await fetch(service.base + path);
    const file = (await response.formData()).get('coordinates') as File;
    return { name: file.name, text: await file.text() };
  };
  const yaml = await form(`${DEMO}?coordinates=1&coordinates_format=yaml`);
  assert.equal(yaml.name, 'coordinates.yaml');
  assert.match(yaml.text, /^cn1:\n {2}- 385\n/);
  assert.equal(
    (await form('/v0.5.0/draw/room/hall.png?coordinates')).text,
    '{"A1":[220,315,114,190],"A2":[334,315,114,190],"A3":[448,315,114,190]}',
  );
  const full = JSON.parse((await form(`${DEMO}?coordinates=full`)).text);
  assert.equal(full.version, 1);
  assert.deepEqual(full.equipment[0].polygon.length, 4);
  assert.deepEqual(full.racks[0].name, 'A2');
});

test('views have the documented shapes', async () => {
  const get = async (path: string) => JSON.parse((await ask(`/v0.5.0/${path}`)).body.toString());
  const [node] = await get('nodes?name=cn2');
  assert.deepEqual(Object.keys(node), ['name', 'infrastructure', 'rack', 'type', 'slot', 'tags', 'position']);
  assert.deepEqual(Object.keys(node.rack), ['name', 'slot', 'type', 'datacenter', 'room', 'row', 'fillrate']);
  assert.deepEqual([node.slot, node.position], [2, { height: 0, width: 1 }]);
  const racks = await get('racks');
  assert.deepEqual(
    racks.map(({ name }: { name: string }) => name),
    ['A1', 'A2', 'A3'],
  );
  assert.deepEqual(Object.keys(racks[0]), [
    'name',
    'slot',
    'type',
    'datacenter',
    'room',
    'row',
    'nodes',
    'fillrate',
  ]);
  assert.ok(Math.abs(racks[1].fillrate - (4 / 3 + 1) / 42) < 1e-12);
  assert.deepEqual(await get('nodes?list&fold'), ['cn[1-4]']);
  const [folded] = await get('nodes?fold');
  assert.deepEqual([folded.name, 'position' in folded], ['cn[1-4]', false]);
  assert.deepEqual(await get('nodes?tags=nope'), []);
  const [center] = await get('datacenters');
  assert.equal(center.rooms[0].rows[0].nbracks, 3);
  const [infrastructure] = await get('infrastructures');
  assert.deepEqual(
    infrastructure.layout[0].nodes.map(({ name }: { name: string }) => name),
    ['cn1', 'cn2', 'cn3', 'cn4'],
  );
  assert.deepEqual(await get('diagnostics'), []);
});

test('views come as YAML by Accept or format, with types as tags where they are wanted', async () => {
  const yaml = await ask('/v0.5.0/nodes?with_objects_types', { headers: { accept: 'application/x-yaml' } });
  assert.equal(yaml.type, 'application/x-yaml');
  assert.match(yaml.body.toString(), /^- !<RacksDBNode>\n {2}name: cn1\n/);
  assert.equal(
    (await ask('/v0.5.0/nodes', { headers: { accept: 'application/json, text/plain, */*' } })).type,
    'application/json',
  );
  assert.match((await ask('/v0.5.0/schema')).body.toString(), /_objects:\n/);
});

test('a dump is a database that loads again and draws the same', async () => {
  const dump = (await ask('/v0.5.0/dump')).body.toString();
  const second = await openDrawingService({ inventory: dump });
  try {
    const [one, other] = await Promise.all([ask(DEMO), fetch(second.base + DEMO).then(r => r.arrayBuffer())]);
    assert.ok(one.body.equals(Buffer.from(other)));
  } finally {
    await second.close();
  }
});

test('the description is OpenAPI 3.1 and names every property of the parameters', async () => {
  const document = JSON.parse((await ask('/openapi.json')).body.toString());
  assert.equal(document.openapi, '3.1.0');
  const operation = document.paths['/v0.5.0/draw/{entity}/{file}'].post;
  const { properties } = operation.requestBody.content['application/json'].schema;
  assert.equal(properties.rack.properties.u_height.default, 44.45);
  assert.ok(operation.responses['415'].content['application/json'].schema.properties.description);
  assert.equal((await ask('/openapi.yaml')).type, 'application/x-yaml');
});

test('sites may allow other origins, answer 400 for unknown names, and set defaults', async () => {
  const site = await openDrawingService({
    defaults: () => [{ source: 'site.yml', text: 'dimensions: {width: 300}' }],
    edge: { cors: ['https://a.example'], notFoundStatus: '400', defaults: '{"rack":{"labels":false}}' },
  });
  try {
    const preflight = await fetch(site.base + DEMO, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example' },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://a.example');
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /If-None-Match/);
    const other = await fetch(site.base + DEMO, { headers: { origin: 'https://b.example' } });
    assert.equal(other.headers.get('access-control-allow-origin'), null);
    assert.equal(other.headers.get('vary'), 'Origin');
    assert.equal(Buffer.from(await other.arrayBuffer()).readUInt32BE(16), 300);
    assert.equal((await fetch(`${site.base}/v0.5.0/draw/room/nope.png`)).status, 400);
    const own = await fetch(`${site.base}${DEMO}?parameters.dimensions.width=400`);
    assert.equal(Buffer.from(await own.arrayBuffer()).readUInt32BE(16), 400);
  } finally {
    await site.close();
  }
});

test('a room name of two datacenters needs to be told apart', async () => {
  const twice = EXAMPLE.replace(
    'datacenters: {lab:',
    'datacenters: {other: {rooms: {hall: {dimensions: {width: 2m, depth: 2m}}}}, lab:',
  );
  const site = await openDrawingService({ inventory: twice });
  try {
    const unclear = await fetch(`${site.base}/v0.5.0/draw/room/hall.png`);
    assert.equal(unclear.status, 400);
    assert.match(await unclear.text(), /several datacenters.*other, lab/);
    assert.equal((await fetch(`${site.base}/v0.5.0/draw/room/hall.png?datacenter=other`)).status, 200);
  } finally {
    await site.close();
  }
});

test('names are safe in SVG, file names and headers', async () => {
  const bad = `a"b<c>&'\\n\\r\\u0007/é`;
  const text = EXAMPLE.replace('{demo:', `{"${bad.replaceAll('"', '\\"')}":`).replace(
    'sw1:',
    '"<script>alert(1)</script>":',
  );
  const site = await openDrawingService({ inventory: text });
  try {
    const name = encodeURIComponent(`a"b<c>&'\n\r\u0007/é`);
    const svg = await fetch(`${site.base}/v0.5.0/draw/infrastructure/${name}.svg`);
    assert.equal(svg.status, 200);
    const body = await svg.text();
    assert.doesNotMatch(body, /<script|[\u0007]/);
    assert.match(body, /&lt;script&gt;alert\(1\)/);
    const form = await fetch(`${site.base}/v0.5.0/draw/infrastructure/${name}.png?coordinates`);
    const image = (await form.formData()).get('image') as File;
    assert.ok(image.size > 1000);
  } finally {
    await site.close();
  }
});
