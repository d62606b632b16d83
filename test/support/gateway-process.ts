/** A gateway as a process of its own, to be killed: `node gateway-process.ts HOME PAGES [PORT]`, prints its URL. */
import { join } from 'node:path';
import { places } from '../../systemd/settings.ts';
import { startGateway } from './gateway.ts';

const [home = '', pages = '', port = '0'] = process.argv.slice(2);
const at = places(home);
const gateway = await startGateway(
  { places: at, conf: join(at.etc, 'gateway.ini'), close: () => {} },
  { pages, port: Number(port) },
);
process.stdout.write(`${gateway.url}\n`);
