/** nginx with TLS in front of gateways, and a Chromium that trusts its authority. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type Nginx, runNginx } from './nginx.ts';
import type { Authority } from './tls.ts';

/** Serves `https://localhost:PORT{prefix}/` from the upstream ports, taking the prefix off, and tries the next when one is gone. */
export async function startNginx(
  port: number,
  prefix: string,
  upstreams: readonly number[],
  authority: Authority | null,
): Promise<Nginx> {
  const tls = authority
    ? `ssl_certificate ${authority.folder}/chain.pem; ssl_certificate_key ${authority.folder}/server.key;`
    : '';
  return runNginx(
    port,
    `upstream gateways { ${upstreams.map(one => `server 127.0.0.1:${one} max_fails=1 fail_timeout=1s;`).join(' ')} keepalive 32; }
  server {
    listen 127.0.0.1:${port}${authority ? ' ssl' : ''}; ${tls}
    large_client_header_buffers 8 64k;
    location ${prefix}/ {
      proxy_pass http://gateways/; proxy_http_version 1.1; proxy_set_header Connection '';
      proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_next_upstream error timeout;
    }
  }`,
  );
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
    timeout: 300_000,
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
