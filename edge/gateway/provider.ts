/** What goes to an identity provider and comes back from it. Types only. */
import type { Claims } from './id-token.ts';
import type { GatewaySettings } from './schema.ts';

export interface ProviderOptions {
  readonly settings: GatewaySettings['oidc'];
  readonly clientSecret: string | null;
  /** HTTPS_PROXY, NO_PROXY and the like. */
  readonly proxies: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly log: {
    warn(fields: object, sentence: string): void;
    info(fields: object, sentence: string): void;
  };
}

/** What one authorization request carries. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string | null;
}

/** What the provider handed out for a code. */
export interface Grant {
  readonly idToken: string;
  readonly accessToken: string;
  readonly claims: Claims;
}

export interface DeviceStart {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly url: string;
  readonly urlComplete: string | null;
  /** Seconds. */
  readonly life: number;
  readonly interval: number;
}
