/** nginx with TLS in front of gateways, and a Chromium that trusts its authority. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { Authority } from './tls.ts';

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

export interface Front {
  close(): Promise<void>;
}

/** Serves `https://localhost:PORT{prefix}/` from the upstream ports, taking the prefix off, and tries the next when one is gone. */
export async function startNginx(
  port: number,
  prefix: string,
  upstreams: readonly number[],
  authority: Authority | null,
): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-nginx-'));
  const tls = authority
    ? `ssl_certificate ${authority.folder}/chain.pem; ssl_certificate_key ${authority.folder}/server.key;`
    : '';
  const conf = join(folder, 'nginx.conf');
  writeFileSync(
    conf,
    `pid ${folder}/pid; error_log ${folder}/error.log warn; worker_processes 1; daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream gateways { ${upstreams.map(one => `server 127.0.0.1:${one} max_fails=1 fail_timeout=1s;`).join(' ')} keepalive 32; }
  server {
    listen 127.0.0.1:${port}${authority ? ' ssl' : ''}; ${tls}
    large_client_header_buffers 8 64k;
    location ${prefix}/ {
      proxy_pass http://gateways/; proxy_http_version 1.1; proxy_set_header Connection '';
      proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_next_upstream error timeout;
    }
  }
}
`,
  );
  const child = spawn('nginx', ['-c', conf], { stdio: 'ignore' });
  const ended = new Promise<void>(resolve => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  await reachable(port);
  return {
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function reachable(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const open = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    await new Promise(resolve => setTimeout(resolve, 25));
  }
  throw new Error(`nothing listens on ${port}: is the package nginx installed?`);
}

export interface OpenBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Chromium with a home of its own, whose certificate store holds the authority. */
export async function openBrowser(authority: Authority): Promise<OpenBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'rackwright-browser-'));
  const store = join(home, '.pki/nssdb');
  mkdirSync(store, { recursive: true });
  const certutil = (...words: string[]): void => {
    execFileSync('certutil', ['-d', `sql:${store}`, ...words], { stdio: 'pipe' });
  };
  certutil('-N', '--empty-password');
  certutil('-A', '-t', 'C,,', '-n', 'test authority', '-i', join(authority.folder, 'ca.pem'));
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
    env: { ...process.env, HOME: home },
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
