/** Signing in with a browser: Chromium, nginx with TLS and a path prefix, a real OpenID provider, our pages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { type OpenBrowser, openBrowser, startNginx } from '../support/front.ts';
import {
  type Home,
  type Ini,
  makeHome,
  mergeIni,
  type RunningGateway,
  type SpawnedGateway,
  spawnGateway,
  startGateway,
} from '../support/gateway.ts';
import type { Nginx } from '../support/nginx.ts';
import { type RunningProvider, startProvider } from '../support/oidc-provider.ts';
import { type Authority, makeAuthority } from '../support/tls.ts';
import { freePort } from '../support/until.ts';

/** Milliseconds for one step of the browser: a machine may be busy. */
const AMPLE = 300_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = mkdtempSync(join(tmpdir(), 'rackwright-pages-'));
let authority: Authority;
let chromium: OpenBrowser;
/** An agent with one cluster, as far as the start page asks. */
const agent = http.createServer((request, reply) => {
  const body =
    request.url === '/info'
      ? {
          cluster: 'alpha',
          version: '7.0.0',
          metrics: false,
          cache: false,
          racksdb: { enabled: false, version: '0.5.0', infrastructure: 'alpha' },
        }
      : { roles: ['user'], actions: ['view-jobs'] };
  reply.setHeader('content-type', 'application/json').end(JSON.stringify(body));
});

before(async () => {
  authority = await makeAuthority();
  const built = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vite/bin/vite.js'),
      'build',
      '--config',
      'edge/web/vite.config.ts',
      '--outDir',
      pages,
      '--emptyOutDir',
    ],
    { cwd: root, encoding: 'utf8' },
  );
  assert.equal(built.status, 0, built.stderr);
  await new Promise<void>(resolve => agent.listen(0, '127.0.0.1', resolve));
  chromium = await openBrowser(authority);
});
after(async () => {
  await chromium.close();
  agent.close();
  authority.close();
  rmSync(pages, { recursive: true, force: true });
});

interface Site {
  readonly url: string;
  readonly provider: RunningProvider;
  readonly gateway: RunningGateway;
  readonly home: Home;
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser's console complained about. */
  readonly complaints: string[];
}

interface SiteOptions {
  readonly ini?: Ini;
  readonly prefix?: string;
  readonly lean?: boolean;
  readonly plain?: boolean;
}

async function withSite(options: SiteOptions, run: (site: Site) => Promise<void>): Promise<void> {
  const { prefix = '/dash' } = options;
  const closing: (() => unknown)[] = [];
  try {
    const port = await freePort();
    const url = `https://localhost:${port}${prefix}`;
    const provider = await startProvider({
      authority,
      redirectUri: `${url}/api/oidc/callback`,
      logoutUri: `${url}/auth/`,
      ...(options.lean ? { leanIdToken: true } : {}),
      ...(options.plain ? { plainPkce: true } : {}),
    });
    closing.push(() => provider.close());
    const home = makeHome(mergeIni(siteIni(url, provider), options.ini ?? {}));
    closing.push(() => home.close());
    const gateway = await startGateway(home, { pages });
    closing.push(() => gateway.close());
    const front = await startNginx(port, prefix, [gateway.port], authority);
    closing.push(() => front.close());
    const context = await chromium.browser.newContext();
    closing.push(() => context.close());
    context.setDefaultTimeout(AMPLE);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', message => {
      // The provider's own pages are no concern of ours, and a refused session is a 401 that the browser remarks on.
      const { url: where } = message.location();
      const ours = where.startsWith(url) && !/status of [45]\d\d/.test(message.text());
      if (message.type() === 'error' && ours) complaints.push(`${message.text()} at ${where}`);
    });
    page.on('pageerror', error => complaints.push(String(error)));
    await run({ url, provider, gateway, home, context, page, complaints });
    assert.deepEqual(complaints, []);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

function siteIni(url: string, provider: RunningProvider): Ini {
  return {
    ui: { host: url },
    agents: { url: `http://127.0.0.1:${(agent.address() as AddressInfo).port}` },
    authentication: { enabled: 'yes', method: 'oidc' },
    oidc: {
      issuer: provider.issuer,
      client_id: 'confidential-app',
      client_secret: 's3cr3t-of-the-test',
      scope: 'openid profile email groups',
      subject_claim: 'preferred_username',
      pkce: 'S256',
      cacert: join(authority.folder, 'ca.pem'),
      post_logout_redirect_uri: `${url}/auth/`,
    },
  };
}

async function signIn({ page, url }: Site): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.waitForSelector('#login');
}

const clients: readonly (readonly [string, SiteOptions])[] = [
  ['a confidential client with S256', {}],
  ['a public client with S256', { ini: { oidc: { client_id: 'public-app', client_secret: undefined } } }],
  ['groups and name in UserInfo only', { lean: true }],
  ['signed UserInfo', { lean: true, ini: { oidc: { client_id: 'signed-app' } } }],
];
for (const [name, options] of clients) {
  test(`signing in works with ${name}`, () =>
    withSite(options, async site => {
      await signIn(site);
      assert.equal(await site.page.textContent('#login'), 'alice');
      assert.equal(await site.page.textContent('#who'), 'You are Alice Test');
      assert.equal(await site.page.textContent('#groups'), 'Groups: admins, scientists');
      await site.page.getByText('You may: view-jobs').waitFor();
      assert.equal(new URL(site.page.url()).search, '');
      // Reloading shows the same person: the page remembers the token, and the handoff is not read again.
      await site.page.reload();
      await site.page.waitForSelector('#login');
    }));
}

test('signing in works with plain PKCE, at a provider that takes nothing else', () =>
  withSite({ plain: true, ini: { oidc: { pkce: 'plain' } } }, async site => {
    const methods: (string | null)[] = [];
    site.page.on('request', request => {
      const { searchParams } = new URL(request.url());
      if (searchParams.has('code_challenge')) methods.push(searchParams.get('code_challenge_method'));
    });
    await signIn(site);
    assert.equal(await site.page.textContent('#login'), 'alice');
    assert.deepEqual(methods, ['plain']);
  }));

test('S256 is refused readably by a provider that takes plain PKCE only', () =>
  withSite({ plain: true }, async site => {
    await site.page.goto(`${site.url}/api/oidc/login`);
    await site.page.getByText('The identity provider answered with an error.').waitFor();
  }));

test('signing in works at the root of the host', () =>
  withSite({ prefix: '' }, async site => {
    await signIn(site);
    assert.equal(await site.page.textContent('#login'), 'alice');
  }));

test('a refused sign-in ends on a readable page without the provider’s markup, and the next one works', () =>
  withSite({}, async site => {
    site.provider.atKeyboard = null;
    await site.page.goto(`${site.url}/`);
    await site.page.getByRole('link', { name: 'Sign in' }).click();
    const alert = await site.page.getByRole('alert').textContent();
    assert.equal(alert, 'The identity provider did not let you in, or you cancelled the sign-in.');
    site.provider.atKeyboard = 'bob';
    await site.page.getByRole('link', { name: 'Sign in' }).click();
    await site.page.waitForSelector('#login');
    assert.equal(await site.page.textContent('#login'), 'bob');
  }));

test('every error path ends on a readable page', async () => {
  await withSite({ ini: { oidc: { restricted_groups: 'nobody' } } }, async site => {
    await site.page.goto(`${site.url}/api/oidc/login`);
    await site.page.getByText('You are in none of the groups that may sign in here.').waitFor();
  });
  await withSite({ ini: { oidc: { client_secret: 'wrong' } } }, async site => {
    await site.page.goto(`${site.url}/api/oidc/login`);
    await site.page.getByText('The identity provider answered with an error.').waitFor();
    assert.ok(!JSON.stringify(site.gateway.log).includes('client_secret'), 'no secret in the log');
  });
  await withSite({ ini: { oidc: { subject_claim: 'uid' } } }, async site => {
    await site.page.goto(`${site.url}/api/oidc/login`);
    await site.page.getByText('did not tell a usable login name').waitFor();
  });
  await withSite({}, async site => {
    await site.page.goto(`${site.url}/api/oidc/callback?code=x&state=y`);
    await site.page.getByText('was not started in this browser').waitFor();
    await site.provider.close();
    await site.context.clearCookies();
    await site.page.goto(`${site.url}/api/oidc/callback?code=x&state=z`);
    await site.page.getByText('was not started in this browser').waitFor();
  });
});

test('signing out ends the session here and at the provider', () =>
  withSite({}, async site => {
    await signIn(site);
    const token = await site.page.evaluate(
      () => JSON.parse(localStorage.getItem('rackwright-identity') ?? '{}').token as string,
    );
    await site.page.getByRole('button', { name: 'Sign out' }).click();
    await site.page.waitForURL(url => url.href.startsWith(site.provider.issuer));
    await site.page.getByRole('button').first().click();
    await site.page.waitForURL(url => url.href.startsWith(`${site.url}/auth/`));
    await site.page.getByRole('link', { name: 'Sign in' }).waitFor();
    const who = await fetch(`${site.gateway.url}/api/whoami`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(who.status, 401);
  }));

test('another session is seen and ended from the start page', () =>
  withSite({}, async site => {
    const elsewhere = await chromium.browser.newContext();
    elsewhere.setDefaultTimeout(AMPLE);
    const other = await elsewhere.newPage();
    await signIn({ ...site, page: other });
    await signIn(site);
    await site.page.getByRole('button', { name: 'End' }).click();
    await site.page.getByRole('button', { name: 'End' }).waitFor({ state: 'detached' });
    await other.reload();
    await other.getByText('You are signed out').waitFor();
    await elsewhere.close();
  }));

test('the pages carry a strict content security policy and no token in any address', () =>
  withSite({}, async site => {
    const seen: string[] = [];
    site.page.on('request', request => seen.push(request.url()));
    const answer = await site.page.goto(`${site.url}/`);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    await signIn(site);
    assert.ok(!seen.some(url => url.includes('eyJ')), 'a token stood in a URL');
  }));

test('of two gateways behind one front, one is killed in the middle of a sign-in, which completes', async () => {
  const port = await freePort();
  const url = `https://localhost:${port}/dash`;
  const provider = await startProvider({
    authority,
    redirectUri: `${url}/api/oidc/callback`,
    logoutUri: `${url}/auth/`,
  });
  const first = makeHome(siteIni(url, provider));
  const shared = { service: { session_store: `file:${join(first.places.lib, 'sessions')}` } };
  const second = makeHome(mergeIni(siteIni(url, provider), shared));
  for (const name of ['jwt.key', 'session.key']) {
    rmSync(join(second.places.lib, name));
    copyFileSync(join(first.places.lib, name), join(second.places.lib, name));
  }
  const gateways: SpawnedGateway[] = [];
  let front: Nginx | null = null;
  try {
    for (const home of [first, second]) gateways.push(await spawnGateway(home, pages));
    const ports = gateways.map(gateway => gateway.port);
    front = await startNginx(port, '/dash', ports, authority);
    const context = await chromium.browser.newContext();
    context.setDefaultTimeout(AMPLE);
    const page = await context.newPage();
    // The person hesitates at the provider; meanwhile one gateway is killed.
    let release: () => void = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    provider.hesitation = held;
    await page.goto(`${url}/`);
    const click = page.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForRequest(request => request.url().startsWith(`${provider.issuer}/_auto/`));
    await gateways[0]?.kill();
    release();
    await click;
    await page.waitForSelector('#login');
    assert.equal(await page.textContent('#login'), 'alice');
    await context.close();
  } finally {
    for (const gateway of gateways) await gateway.kill();
    await front?.close();
    await provider.close();
    first.close();
    second.close();
  }
});
