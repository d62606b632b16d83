/** A real OpenID provider over TLS, with people who sign in by themselves: whoever is "at the keyboard". */
import { createHash } from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import ProviderOfPlain from 'oidc-provider-8';
import type { Authority } from './tls.ts';

export interface ProviderPerson {
  readonly name: string;
  readonly email: string;
  readonly groups: readonly string[];
}

export interface RunningProvider {
  readonly issuer: string;
  /** Who signs in; null refuses. */
  atKeyboard: string | null;
  /** People hesitate until this resolves. */
  hesitation: Promise<void>;
  close(): Promise<void>;
}

const PEOPLE: Readonly<Record<string, ProviderPerson>> = {
  alice: { name: 'Alice Test', email: 'alice@corp.org', groups: ['admins', 'scientists'] },
  bob: { name: 'Bob Test', email: 'bob@corp.org', groups: ['scientists'] },
};

export interface ProviderOptions {
  readonly authority: Authority;
  readonly redirectUri: string;
  readonly logoutUri: string;
  readonly backchannel?: string;
  /** Groups and name come from UserInfo only. */
  readonly leanIdToken?: boolean;
  /** Knows PKCE by `plain` alone and asks everybody for it, as only version 8 can. */
  readonly plainPkce?: boolean;
}

/** `methods` is of version 8; later ones have S256 only. */
const PLAIN_PKCE = { methods: ['plain'], required: () => true };

/** Clients: `public-app`, `confidential-app` (s3cr3t-of-the-test), `signed-app` (signed UserInfo). */
export async function startProvider(options: ProviderOptions): Promise<RunningProvider> {
  const { authority } = options;
  const server = https.createServer({ key: authority.key, cert: authority.chain });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const running: RunningProvider = {
    issuer,
    atKeyboard: 'alice',
    hesitation: Promise.resolve(),
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  const configuration = await configure(options);
  const provider = options.plainPkce
    ? new ProviderOfPlain(issuer, { ...configuration, pkce: PLAIN_PKCE })
    : new Provider(issuer, configuration);
  provider.proxy = true;
  const callback = provider.callback();
  server.on('request', (request, reply) => {
    if (!request.url?.startsWith('/_auto/')) return void callback(request, reply);
    const said = running.atKeyboard;
    const result = said
      ? { login: { accountId: said, remember: false } }
      : { error: 'access_denied', error_description: '<script>refused</script>' };
    running.hesitation
      .then(() => provider.interactionFinished(request, reply, result, { mergeWithLastSubmission: false }))
      .catch(() => reply.destroy());
  });
  return running;
}

async function configure(options: ProviderOptions): Promise<Configuration> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(pair.privateKey)), alg: 'RS256', use: 'sig', kid: 'rs-1' };
  const client = {
    redirect_uris: [options.redirectUri],
    grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code' as const],
    post_logout_redirect_uris: [options.logoutUri],
    ...(options.backchannel === undefined
      ? {}
      : { backchannel_logout_uri: options.backchannel, backchannel_logout_session_required: true }),
  };
  const secret = 's3cr3t-of-the-test';
  return {
    clients: [
      { ...client, client_id: 'public-app', token_endpoint_auth_method: 'none' },
      { ...client, client_id: 'confidential-app', client_secret: secret },
      { ...client, client_id: 'signed-app', client_secret: secret, userinfo_signed_response_alg: 'RS256' },
    ],
    jwks: { keys: [jwk] },
    cookies: {
      keys: [
        createHash('sha256')
          .update(jwk.n ?? '')
          .digest('hex'),
      ],
    },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    conformIdTokenClaims: options.leanIdToken === true,
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
      jwtUserinfo: { enabled: true },
      deviceFlow: { enabled: true },
    },
    interactions: { url: (_context, interaction) => `/_auto/${interaction.uid}` },
    ttl: { IdToken: 3600, AccessToken: 3600, Session: 3600, Interaction: 600, Grant: 3600 },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, email_verified: true, ...PEOPLE[id] }),
    }),
    loadExistingGrant: async context => {
      const {
        client: asked,
        session,
        provider,
      } = context.oidc as typeof context.oidc & { provider: Provider };
      const grant = new provider.Grant({
        clientId: asked?.clientId ?? '',
        accountId: session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email groups');
      await grant.save();
      return grant;
    },
  };
}
