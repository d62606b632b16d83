/** The identity provider as we talk to it; the only file that knows openid-client. */
import * as client from 'openid-client';
import { classify, errorText, isProviderError } from './errors.ts';
import { SignInFailure } from './failure.ts';
import { makeFetch, OWN_ID_TOKEN, type ProviderFetch, prepareTokens, readJson } from './fetch.ts';
import { type Claims, checkIdToken, checkUserInfo, type ProviderTokenRules } from './id-token.ts';
import { ProviderKeys } from './jwks.ts';
import type { AuthorizationRequest, DeviceStart, Grant, ProviderOptions } from './provider.ts';

/** Life of the provider's metadata, in ms. */
const METADATA_AGE = 3_600_000;
/** Retries in the background start at this pause and double up to the last, in ms. */
const RETRY_FIRST = 1000;
const RETRY_LAST = 60_000;

interface Discovered {
  readonly config: client.Configuration;
  readonly metadata: client.ServerMetadata;
  readonly rules: ProviderTokenRules;
  readonly fetched: number;
}

export class Provider {
  private readonly options: ProviderOptions;
  private readonly web: ProviderFetch;
  private readonly issuer: string;
  private discovered: Discovered | null = null;
  private loading: Promise<Discovered> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(options: ProviderOptions) {
    this.options = options;
    this.issuer = options.settings.issuer ?? '';
    this.web = makeFetch(options.settings, options.proxies);
  }

  /** Starts discovery without waiting for it; goes on trying until the provider answers. */
  open(pause = RETRY_FIRST): void {
    this.load().then(
      () => this.options.log.info({ issuer: this.issuer }, 'the identity provider answers'),
      error => {
        if (this.closed) return;
        this.options.log.warn({ reason: errorText(error) }, 'the identity provider is not ready');
        this.timer = setTimeout(() => this.open(Math.min(pause * 2, RETRY_LAST)), pause);
        this.timer.unref();
      },
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.web.close();
  }

  /** The address that a browser is sent to. */
  async authorizationUrl(request: AuthorizationRequest): Promise<string> {
    const { config, metadata } = await this.ready();
    if (!metadata.authorization_endpoint) {
      throw new SignInFailure('provider_error', 'the metadata has no authorization_endpoint');
    }
    const { pkce } = this.options.settings;
    const parameters: Record<string, string> = {
      redirect_uri: request.redirectUri,
      scope: this.scope(),
      state: request.state,
      nonce: request.nonce,
    };
    if (pkce !== null && request.verifier !== null) {
      parameters.code_challenge_method = pkce;
      parameters.code_challenge =
        pkce === 'S256' ? await client.calculatePKCECodeChallenge(request.verifier) : request.verifier;
    }
    return client.buildAuthorizationUrl(config, parameters).href;
  }

  /** Whether the answer's `iss` is as RFC 9207 asks; throws SignInFailure `invalid_state`. */
  async checkIssuer(iss: string | null): Promise<void> {
    if (iss !== null) {
      if (iss !== this.issuer) throw new SignInFailure('invalid_state', `iss is ${iss}`);
      return;
    }
    const { metadata } = await this.ready();
    if (metadata.authorization_response_iss_parameter_supported === true) {
      throw new SignInFailure('invalid_state', 'iss is missing');
    }
  }

  /** Exchanges a code and checks the ID token. */
  async redeem(code: string, request: AuthorizationRequest): Promise<Grant> {
    const parameters: Record<string, string> = { code, redirect_uri: request.redirectUri };
    if (request.verifier !== null) parameters.code_verifier = request.verifier;
    return this.grant('authorization_code', parameters, request.nonce);
  }

  /** Starts the device flow (RFC 8628); null where the provider has none. */
  async startDevice(): Promise<DeviceStart | null> {
    const { config, metadata } = await this.ready();
    if (!metadata.device_authorization_endpoint) return null;
    try {
      const answer = await client.initiateDeviceAuthorization(config, { scope: this.scope() });
      return {
        deviceCode: answer.device_code,
        userCode: answer.user_code,
        url: answer.verification_uri,
        urlComplete: answer.verification_uri_complete ?? null,
        life: answer.expires_in,
        interval: answer.interval ?? 5,
      };
    } catch (error) {
      throw classify(error);
    }
  }

  /** One poll of the device flow: the provider's words `authorization_pending` and `slow_down`, or the grant. */
  async pollDevice(deviceCode: string): Promise<Grant | 'authorization_pending' | 'slow_down'> {
    try {
      const type = 'urn:ietf:params:oauth:grant-type:device_code';
      return await this.grant(type, { device_code: deviceCode }, null);
    } catch (error) {
      const said = (error as Error).cause;
      if (isProviderError(said)) {
        if (said.error === 'authorization_pending' || said.error === 'slow_down') return said.error;
        if (said.error === 'access_denied') throw new SignInFailure('access_denied', 'device refused');
        if (said.error === 'expired_token') throw new SignInFailure('invalid_state', 'device code expired');
      }
      throw error;
    }
  }

  /** UserInfo's claims; null where the provider has no such endpoint. Its `sub` must be the ID token's. */
  async userInfo(accessToken: string, sub: string): Promise<Claims | null> {
    const { metadata, config, rules } = await this.ready();
    if (!metadata.userinfo_endpoint) return null;
    let answer: Response;
    try {
      const url = new URL(metadata.userinfo_endpoint);
      answer = await client.fetchProtectedResource(config, accessToken, url, 'GET');
    } catch (error) {
      throw classify(error);
    }
    if (answer.status !== 200)
      throw new SignInFailure('provider_error', `UserInfo answered ${answer.status}`);
    const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    const claims =
      type === 'application/jwt'
        ? await checkUserInfo((await answer.text()).trim(), rules)
        : await readJson(answer);
    if (claims.sub !== sub) throw new SignInFailure('token_invalid', 'UserInfo speaks of another subject');
    return claims;
  }

  /** Rules for logout tokens and the like. */
  async rules(): Promise<ProviderTokenRules> {
    return (await this.ready()).rules;
  }

  /** Where signing out at the provider starts; null where it has no such place, or is not known yet. */
  async logoutUrl(idToken: string | null, state: string): Promise<string | null> {
    const found = this.discovered;
    if (!found?.metadata.end_session_endpoint) return null;
    const url = new URL(found.metadata.end_session_endpoint);
    const { client_id, post_logout_redirect_uri } = this.options.settings;
    url.searchParams.set('client_id', client_id ?? '');
    if (idToken !== null) url.searchParams.set('id_token_hint', idToken);
    if (post_logout_redirect_uri !== null) {
      url.searchParams.set('post_logout_redirect_uri', post_logout_redirect_uri);
      url.searchParams.set('state', state);
    }
    return url.href;
  }

  private scope(): string {
    const words = this.options.settings.scope.split(/\s+/).filter(word => word !== '');
    return (words.includes('openid') ? words : ['openid', ...words]).join(' ');
  }

  private async grant(
    type: string,
    parameters: Record<string, string>,
    nonce: string | null,
  ): Promise<Grant> {
    const { config, rules } = await this.ready();
    let tokens: client.TokenEndpointResponse;
    try {
      tokens = await client.genericGrantRequest(config, type, parameters);
    } catch (error) {
      throw classify(error);
    }
    if (tokens.token_type !== 'bearer') {
      throw new SignInFailure('provider_error', `token_type is ${tokens.token_type}`);
    }
    const idToken = tokens[OWN_ID_TOKEN];
    if (typeof idToken !== 'string') {
      throw new SignInFailure('provider_error', 'the token answer has no id_token');
    }
    try {
      const claims = await checkIdToken(idToken, rules, nonce, tokens.access_token);
      return { idToken, accessToken: tokens.access_token, claims };
    } catch (error) {
      throw classify(error);
    }
  }

  private async ready(): Promise<Discovered> {
    const found = this.discovered;
    if (found && this.options.now() - found.fetched < METADATA_AGE) return found;
    try {
      return await this.load();
    } catch (error) {
      // Old metadata serves better than none.
      if (found) return found;
      throw classify(error);
    }
  }

  private load(): Promise<Discovered> {
    this.loading ??= this.discover().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private async discover(): Promise<Discovered> {
    const url = `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const answer = await this.web.fetch(url, { headers: { accept: 'application/json' } });
    if (answer.status !== 200) throw new SignInFailure('provider_error', `${url} answered ${answer.status}`);
    const metadata = (await readJson(answer)) as unknown as client.ServerMetadata;
    if (metadata.issuer !== this.issuer) {
      const sentence = `[oidc] issuer is "${this.issuer}", but the provider calls itself "${metadata.issuer}"`;
      throw new SignInFailure('provider_error', sentence);
    }
    const { now } = this.options;
    const config = this.configure(metadata);
    const earlier = this.discovered;
    const keys =
      earlier?.metadata.jwks_uri === metadata.jwks_uri
        ? earlier?.rules.keys
        : new ProviderKeys(metadata.jwks_uri ?? '', this.web.fetch, now).find;
    const listed = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
    const { settings, clientSecret } = this.options;
    const rules: ProviderTokenRules = {
      issuer: this.issuer,
      clientId: settings.client_id ?? '',
      algorithms: settings.algorithms.filter(name => listed.includes(name)),
      keys: keys ?? (() => Promise.reject(new SignInFailure('provider_error', 'no keys'))),
      clientSecret,
      skew: settings.clock_skew,
      now,
    };
    this.discovered = { config, metadata, rules, fetched: now() };
    return this.discovered;
  }

  private configure(metadata: client.ServerMetadata): client.Configuration {
    const { settings } = this.options;
    const config = new client.Configuration(
      metadata,
      settings.client_id ?? '',
      { [client.clockTolerance]: settings.clock_skew },
      this.authentication(metadata),
    );
    config.timeout = settings.timeout;
    if (this.issuer.startsWith('http:')) client.allowInsecureRequests(config);
    config[client.customFetch] = async (url, options) => {
      const answer = await this.web.fetch(url, options as Parameters<ProviderFetch['fetch']>[1]);
      return url === metadata.token_endpoint && answer.status === 200 ? prepareTokens(answer) : answer;
    };
    return config;
  }

  private authentication(metadata: client.ServerMetadata): client.ClientAuth {
    const { settings, clientSecret } = this.options;
    if (clientSecret === null || settings.token_auth_method === 'none') return client.None();
    const offered = metadata.token_endpoint_auth_methods_supported;
    const post =
      settings.token_auth_method === 'client_secret_post' ||
      (settings.token_auth_method === 'auto' &&
        offered?.includes('client_secret_post') === true &&
        !offered.includes('client_secret_basic'));
    return post ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret);
  }
}
