/** An OpenID provider of the tests: correct until it is told to misbehave. */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWK, SignJWT } from 'jose';

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Sends this many bytes of blanks instead; of the token endpoint only. */
  readonly endless?: number;
}

/** What is known of a code until it is redeemed. */
export interface CodeRecord {
  readonly nonce: string;
  readonly challenge: string | null;
  readonly method: string | null;
  /** Null in the device flow. */
  readonly redirectUri: string | null;
}

export interface TokenRequest {
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
}

type Claims = Record<string, unknown>;

/** Every behaviour that a test may replace. */
export interface Behaviour {
  metadata(correct: Record<string, unknown>): Answer;
  /** Parameters of the redirect back; a string is the query as it is. */
  authorize(parameters: Record<string, string>, request: URLSearchParams): Record<string, string> | string;
  claims(claims: Claims): Claims;
  /** The signed ID token; `header` and `sign` as they would be. */
  idToken(claims: Claims, provider: ScriptedProvider): Promise<string>;
  token(correct: Record<string, unknown>, request: TokenRequest): Answer;
  userInfo(claims: Claims): Answer | Promise<Answer>;
  jwks(keys: readonly JWK[]): Answer;
}

export const NORMAL: Behaviour = {
  metadata: correct => ({ body: correct }),
  authorize: parameters => parameters,
  claims: claims => claims,
  idToken: (claims, provider) => provider.sign(claims),
  token: correct => ({ body: correct }),
  userInfo: claims => ({ body: claims }),
  jwks: keys => ({ body: { keys } }),
};

export class ScriptedProvider {
  issuer = '';
  behaviour: Behaviour = { ...NORMAL };
  readonly requests: {
    readonly path: string;
    readonly query: URLSearchParams;
    readonly form: TokenRequest | null;
    readonly authorization: string | undefined;
  }[] = [];
  /** Bytes of blanks sent so far. */
  blanks = 0;
  /** A device flow, confirmed once `after` says so; none where null. */
  device: { after(): boolean } | null = null;
  private server: http.Server | null = null;
  private readonly codes = new Map<string, CodeRecord>();
  private keys: { kid: string; alg: string; key: KeyObject; jwk: JWK }[] = [];

  /** Listens on a free port, or on one that it had before. */
  async open(port = 0): Promise<void> {
    await this.rotate('RS256');
    this.server = http.createServer((request, reply) => {
      this.handle(request, reply).catch(error => {
        reply.statusCode = 500;
        reply.end(String(error));
      });
    });
    await new Promise<void>(resolve => this.server?.listen(port, '127.0.0.1', resolve));
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise(resolve => this.server?.close(resolve));
  }

  /** How often a path was asked for. */
  count(path: string): number {
    return this.requests.filter(request => request.path === path).length;
  }

  /** Makes a new signing key; the old ones leave the key set unless told otherwise. */
  async rotate(alg: 'RS256' | 'ES256' | 'EdDSA', keep = false): Promise<void> {
    const pair =
      alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : alg === 'ES256'
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('ed25519');
    const kid = randomUUID();
    const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' };
    const made = { kid, alg, key: pair.privateKey, jwk };
    this.keys = keep ? [made, ...this.keys] : [made];
  }

  get current(): { kid: string; alg: string; key: KeyObject; jwk: JWK } {
    return this.keys[0]!;
  }

  async sign(claims: Claims, header: Record<string, unknown> = {}, key?: KeyObject): Promise<string> {
    const { kid, alg, key: own } = this.current;
    return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(key ?? own);
  }

  private async handle(request: http.IncomingMessage, reply: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = {
      form: new URLSearchParams(Buffer.concat(chunks).toString()),
      authorization: request.headers.authorization,
    };
    this.requests.push({
      path: url.pathname,
      query: url.searchParams,
      form: request.method === 'POST' ? form : null,
      authorization: request.headers.authorization,
    });
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return send(reply, this.behaviour.metadata(this.metadata()));
      case '/authorize':
        return this.authorize(url.searchParams, reply);
      case '/token':
        return this.token(form, reply);
      case '/device_authorization':
        return send(reply, {
          body: {
            device_code: 'device-code',
            user_code: 'ABCD-EFGH',
            verification_uri: `${this.issuer}/device`,
            verification_uri_complete: `${this.issuer}/device?user_code=ABCD-EFGH`,
            expires_in: 60,
            interval: 1,
          },
        });
      case '/userinfo':
        return send(reply, await this.behaviour.userInfo({ sub: 'alice', ...PROFILE }));
      case '/jwks':
        return send(reply, this.behaviour.jwks(this.keys.map(({ jwk }) => jwk)));
      default:
        return send(reply, { status: 404, body: {} });
    }
  }

  private metadata(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      end_session_endpoint: `${this.issuer}/logout`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA', 'HS256'],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256', 'plain'],
      ...(this.device ? { device_authorization_endpoint: `${this.issuer}/device_authorization` } : {}),
    };
  }

  private authorize(query: URLSearchParams, reply: http.ServerResponse): void {
    const code = randomUUID();
    this.codes.set(code, {
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge'),
      method: query.get('code_challenge_method'),
      redirectUri: query.get('redirect_uri') ?? '',
    });
    const made = this.behaviour.authorize({ code, state: query.get('state') ?? '', iss: this.issuer }, query);
    const back = typeof made === 'string' ? made : new URLSearchParams(made).toString();
    reply.writeHead(302, { location: `${query.get('redirect_uri')}?${back}` }).end();
  }

  private async token(request: TokenRequest, reply: http.ServerResponse): Promise<void> {
    const { form } = request;
    if (form.get('device_code') === 'device-code' && !this.device?.after()) {
      return send(reply, { status: 400, body: { error: 'authorization_pending' } });
    }
    const record = form.has('device_code')
      ? { nonce: '', challenge: null, method: null, redirectUri: null }
      : this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    if (
      !record ||
      record.redirectUri !== form.get('redirect_uri') ||
      !fits(record, form.get('code_verifier'))
    ) {
      return send(reply, {
        status: 400,
        body: { error: 'invalid_grant', error_description: '<b>no such code</b>' },
      });
    }
    const now = Math.floor(Date.now() / 1000);
    const basic = Buffer.from((request.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
    const client =
      form.get('client_id') ?? decodeURIComponent((basic.split(':')[0] ?? '').replaceAll('+', ' '));
    const claims = this.behaviour.claims({
      iss: this.issuer,
      aud: client,
      sub: 'alice',
      iat: now,
      exp: now + 300,
      nonce: record.nonce,
      sid: 'provider-session-1',
      ...PROFILE,
    });
    const idToken = await this.behaviour.idToken(claims, this);
    const body = { access_token: 'access-token', token_type: 'Bearer', expires_in: 300, id_token: idToken };
    const answer = this.behaviour.token(body, request);
    if (answer.endless === undefined) return send(reply, answer);
    return this.sendBlanks(reply, answer.endless);
  }

  private sendBlanks(reply: http.ServerResponse, size: number): void {
    reply.writeHead(200, { 'content-type': 'application/json' });
    const block = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      while (this.blanks < size) {
        this.blanks += block.length;
        if (!reply.write(block)) return void reply.once('drain', more);
      }
      reply.end();
    };
    reply.on('error', () => {});
    more();
  }
}

export const PROFILE = { name: 'Alice User', email: 'alice@corp.org', groups: ['admins', 'biology'] };

function fits({ challenge, method }: CodeRecord, verifier: string | null): boolean {
  if (challenge === null) return verifier === null;
  if (method === 'plain') return verifier === challenge;
  return (
    createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url') === challenge
  );
}

function send(reply: http.ServerResponse, { status = 200, headers = {}, body }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  reply
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
    .end(text);
}
