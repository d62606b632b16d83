/** Where browsers are sent: the public prefix, the redirect URI, and which return targets are ours. */
import type { GatewaySettings } from './schema.ts';

const CALLBACK = '/api/oidc/callback';
const MAX_TARGET = 2048;

type Hosts = Pick<GatewaySettings, 'ui' | 'oidc'>;

/** Path part of the public URL without final slash; empty at the root. */
export function publicPrefix({ ui, oidc }: Hosts): string {
  if (ui.host !== null) return new URL(ui.host).pathname.replace(/\/$/, '');
  const path = oidc.redirect_uri === null ? '' : new URL(oidc.redirect_uri).pathname;
  return path.endsWith(CALLBACK) ? path.slice(0, -CALLBACK.length) : '';
}

/** Exactly as it is registered at the provider. */
export function redirectUri({ ui, oidc }: Hosts): string {
  return oidc.redirect_uri ?? `${(ui.host ?? '').replace(/\/$/, '')}${CALLBACK}`;
}

/** Whether the site is reached by https, by its settings alone. */
export function isSecure({ ui, oidc }: Hosts): boolean {
  return (ui.host ?? oidc.redirect_uri ?? '').startsWith('https:');
}

/** The target if it surely stays within our origin and prefix, else null. */
export function safeTarget(target: string | undefined, hosts: Hosts): string | null {
  if (target === undefined || target.length > MAX_TARGET || !isPlainPath(target)) return null;
  let decoded: string;
  try {
    decoded = decodeURIComponent(target);
  } catch {
    return null;
  }
  if (!isPlainPath(decoded)) return null;
  const origin = new URL(hosts.ui.host ?? hosts.oidc.redirect_uri ?? 'http://localhost').origin;
  if (!URL.canParse(target, origin)) return null;
  const resolved = new URL(target, origin);
  if (resolved.origin !== origin) return null;
  const prefix = publicPrefix(hosts);
  const path = resolved.pathname;
  if (path.startsWith('//')) return null;
  return path === prefix || path.startsWith(`${prefix}/`) ? target : null;
}

/** Exactly one slash in front; no backslash, control character or white space. */
function isPlainPath(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !/[\\\p{Cc}\s]/u.test(text);
}
