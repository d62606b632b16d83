/** Walks sign-ins through a gateway and a scripted provider, and looks at where they end. */
import assert from 'node:assert/strict';
import { FAILURES, type FailureCode } from '../../edge/gateway/failure.ts';
import {
  type GatewayChanges,
  type Home,
  type Ini,
  Jar,
  makeHome,
  mergeIni,
  type RunningGateway,
  startGateway,
} from './gateway.ts';
import { type Behaviour, NORMAL, type ScriptedProvider } from './scripted-provider.ts';

/** gateway.ini for a provider; `ui.host` is never asked, only compared. */
export function oidcIni(provider: ScriptedProvider, changes: Ini = {}): Ini {
  const base: Ini = {
    agents: { url: 'http://127.0.0.1:1' },
    authentication: { enabled: 'yes', method: 'oidc' },
    ui: { host: 'http://dash.test' },
    oidc: { issuer: provider.issuer, client_id: 'dash', client_secret: 's3cr3t', pkce: 'S256' },
  };
  return mergeIni(base, changes);
}

/** Runs with a gateway of these settings; both end whatever happens. */
export async function withGateway(
  ini: Ini,
  run: (gateway: RunningGateway, home: Home) => Promise<void>,
  changes: GatewayChanges = {},
): Promise<void> {
  const home = makeHome(ini);
  let gateway: RunningGateway | null = null;
  try {
    gateway = await startGateway(home, changes);
    await run(gateway, home);
  } finally {
    await gateway?.close();
    home.close();
  }
}

/** The first half of a sign-in: the callback URL that the provider sends the browser to, on the gateway's address. */
export async function start(gateway: Pick<RunningGateway, 'url'>, jar: Jar, query = ''): Promise<string> {
  const begun = await jar.get(`${gateway.url}/api/oidc/login${query}`);
  await begun.arrayBuffer();
  assert.equal(begun.status, 302);
  const back = await jar.get(begun.headers.get('location') ?? '');
  await back.arrayBuffer();
  const callback = new URL(back.headers.get('location') ?? '');
  return `${gateway.url}/api/oidc/callback${callback.search}`;
}

/** The second half: where the callback leads, as path and query. */
export async function finish(callback: string, jar: Jar): Promise<string> {
  const landed = await jar.get(callback);
  assert.equal(landed.status, 302, await landed.text());
  assert.equal(landed.headers.get('cache-control'), 'no-store');
  return landed.headers.get('location') ?? '';
}

export interface SessionAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export async function session(gateway: Pick<RunningGateway, 'url'>, jar: Jar): Promise<SessionAnswer> {
  const answer = await jar.get(`${gateway.url}/api/oidc/session`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** A whole sign-in that works; answers what the session route said. */
export async function signIn(
  gateway: Pick<RunningGateway, 'url'>,
  jar = new Jar(),
): Promise<Record<string, unknown>> {
  const landed = await finish(await start(gateway, jar), jar);
  assert.equal(landed, '/auth/oidc/callback');
  const { status, body } = await session(gateway, jar);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The callback ends with this code, the frontend reads its sentence, and no token is made. */
export async function expectFailure(
  gateway: RunningGateway,
  code: FailureCode,
  callback: string,
  jar: Jar,
): Promise<void> {
  assert.equal(await finish(callback, jar), `/auth/oidc/callback?error=${code}`);
  const { status, body } = await session(gateway, jar);
  assert.equal(status, 401);
  assert.equal(body.description, FAILURES[code]);
}

/** A sign-in under the behaviour fails with the code; the next, under none, works. */
export async function refuses(
  provider: ScriptedProvider,
  code: FailureCode,
  behaviour: Partial<Behaviour>,
  changes: Ini = {},
): Promise<void> {
  await withGateway(oidcIni(provider, changes), async gateway => {
    // Metadata is read here, so that a test of later steps misbehaves in them only.
    provider.behaviour = { ...NORMAL, ...behaviour };
    const jar = new Jar();
    const begun = await jar.get(`${gateway.url}/api/oidc/login`);
    const location = begun.headers.get('location') ?? '';
    if (location.startsWith(provider.issuer)) {
      const back = await jar.get(location);
      const { search } = new URL(back.headers.get('location') ?? '');
      await expectFailure(gateway, code, `${gateway.url}/api/oidc/callback${search}`, jar);
    } else {
      assert.equal(location, `/auth/oidc/callback?error=${code}`);
      assert.equal((await session(gateway, jar)).body.description, FAILURES[code]);
    }
    assert.ok(!JSON.stringify(gateway.log).includes('s3cr3t'), 'the log holds the secret');
    provider.behaviour = { ...NORMAL };
    assert.match(String((await signIn(gateway)).login), /^alice/);
  });
}
