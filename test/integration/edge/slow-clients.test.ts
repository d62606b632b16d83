/** Clients that send a byte now and then: they are told and let go, and hold up nobody. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { BOUNDARY, sendRaw, startTestEdge, statusOf, type TestEdge } from '../../support/edge-home.ts';

let edge: TestEdge;

before(async () => {
  edge = await startTestEdge();
});
after(() => edge.stop());

it('R21: a head or a body that comes too slowly is 408 and closed, others are served meanwhile', {
  timeout: 90_000,
}, async () => {
  const head =
    'HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\nauthorization: Bearer good.admin.token\r\ncontent-type:';
  const slow = Promise.all([
    sendRaw(edge.port, 'GET /version HTTP/1.1\r\nho'),
    sendRaw(edge.port, `POST /default/build ${head} multipart/form-data; boundary=${BOUNDARY}\r\n\r\n--`),
    sendRaw(edge.port, `POST /default/history/purge ${head} application/json\r\n\r\n{`),
  ]);
  assert.equal((await fetch(`${edge.url}/version`)).status, 200);
  for (const answer of await slow) {
    assert.equal(statusOf(answer), 408);
    assert.match(answer, /connection: close/i);
    assert.match(answer, /too slowly/);
  }
  assert.deepEqual(edge.bugs, []);
});
