/** What the gateway adds in front of an agent: requests a second and latency beside nginx, which checks no token. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import { startNginx } from '../support/front.ts';
import { makeHome, spawnGateway } from '../support/gateway.ts';
import { freePort } from '../support/until.ts';
import type { Bench, BenchRow } from './row.ts';

const SECONDS = 3;
const CONNECTIONS = 16;
/** About what 100 jobs of Slurm-web's list take, in bytes. */
const BODY = 64 * 1024;

export const bench: Bench = { name: 'agents behind the gateway', run };

async function run(): Promise<BenchRow[]> {
  const body = JSON.stringify({ filler: 'x'.repeat(BODY) });
  const agent = http.createServer((request, reply) => {
    reply.setHeader('content-type', 'application/json');
    if (request.url !== '/info') return reply.end(body);
    const racksdb = { enabled: false, version: '0.5.0', infrastructure: 'alpha' };
    return reply.end(
      JSON.stringify({ cluster: 'alpha', version: '7.0.0', metrics: false, cache: false, racksdb }),
    );
  });
  await new Promise<void>(resolve => agent.listen(0, '127.0.0.1', resolve));
  const { port } = agent.address() as AddressInfo;
  const home = makeHome({ agents: { url: `http://127.0.0.1:${port}` } });
  const gateway = await spawnGateway(home);
  const nginxPort = await freePort();
  const nginx = await startNginx(nginxPort, '', [port], null);
  try {
    const { token } = (await (await fetch(`${gateway.url}/api/anonymous`)).json()) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${gateway.url}/api/clusters`, { headers });
    const [own, other] = [
      `${gateway.url}/api/agents/alpha/jobs`,
      `http://127.0.0.1:${nginxPort}/v7.0.0/jobs`,
    ];
    const ours = await load(own, headers, CONNECTIONS);
    const peer = await load(other, headers, CONNECTIONS);
    const oursAlone = await load(own, headers, 1);
    const peerAlone = await load(other, headers, 1);
    return [
      {
        measured: `answers of 64 KiB a second through the proxy, ${CONNECTIONS} connections`,
        ours: ours.rate,
        peer: { name: 'nginx', value: peer.rate },
        aim: { text: '>= 200 a second', met: ours.rate >= 200 },
      },
      {
        measured: 'time of such an answer on one connection, milliseconds, mean',
        ours: oursAlone.latency,
        peer: { name: 'nginx', value: peerAlone.latency },
        aim: { text: '<= 10 ms', met: oursAlone.latency <= 10 },
      },
    ];
  } finally {
    await nginx.close();
    await gateway.kill();
    home.close();
    agent.closeAllConnections();
    agent.close();
  }
}

async function load(
  url: string,
  headers: Record<string, string>,
  connections: number,
): Promise<{ rate: number; latency: number }> {
  const result = await autocannon({ url, headers, connections, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { rate: result.requests.average, latency: result.latency.mean };
}
