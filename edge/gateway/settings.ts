/** Reads gateway.ini whole, with the secrets and keys it names, or tells every fault at once. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toFault } from '../../proto/fault.ts';
import { type Loaded, type Places, readSettings } from '../../systemd/settings.ts';
import { Check } from '../auth/check.ts';
import { MIN_SECRET, type TokenKey } from '../auth/key.ts';
import { unknownFlags } from '../http/log-flags.ts';
import { templatePath } from './message.ts';
import { type GatewaySettings, gatewaySchema, LOG_FLAGS } from './schema.ts';

/** Settings with what the named files hold. Secrets are here only, never in `settings`. */
export interface Gateway {
  readonly settings: GatewaySettings;
  /** The current key, then the previous one. */
  readonly keys: readonly TokenKey[];
  /** Null unless sign-in is by OpenID Connect. */
  readonly sessionKey: Buffer | null;
  readonly clientSecret: string | null;
  readonly bindPassword: string | null;
  /** Sentences for the log: what works, but shouldn't stay so. */
  readonly warnings: readonly string[];
}

export function gatewayFile(places: Places): string {
  return join(places.etc, 'gateway.ini');
}

/** Reads the file against the schema alone; one that need not be there has the defaults. Throws a SettingsError. */
export function readGatewayFile(
  file: string,
  places: Places,
  required = true,
): Loaded<ReturnType<typeof gatewaySchema>> {
  return readSettings(gatewaySchema(places), {
    files: [file],
    required,
    variables: { config_dir: dirname(file), state_dir: places.lib },
  });
}

/**
 * Reads and checks all that the gateway starts with. `credentials` is systemd's `$CREDENTIALS_DIRECTORY`, where a
 * file named like the key's own (`jwt.key`, `session.key`) wins. Throws a SettingsError with every fault.
 */
export function loadGateway(file: string, places: Places, credentials: string | null): Gateway {
  const loaded = readGatewayFile(file, places);
  const { settings } = loaded;
  const check = new Check(file, loaded, credentials);
  checkAgents(settings, check);
  const keys = readKeys(settings, check);
  const oidc = settings.authentication.enabled && settings.authentication.method === 'oidc';
  const ldap = settings.authentication.enabled && settings.authentication.method === 'ldap';
  const clientSecret = oidc ? check.secret('oidc', 'client_secret', 'client_secret_file') : null;
  const bindPassword = ldap ? check.secret('ldap', 'bind_password', 'bind_password_file') : null;
  const sessionKey = oidc ? readSessionKey(settings, check) : null;
  if (oidc) checkOidc(settings, clientSecret, check);
  if (ldap) checkLdap(settings, check);
  checkFiles(settings, check);
  check.warnings.push(...unknownFlags(settings.service, LOG_FLAGS));
  check.finish();
  return { settings, keys, sessionKey, clientSecret, bindPassword, warnings: check.warnings };
}

export interface LdapGateway {
  readonly settings: GatewaySettings['ldap'];
  readonly bindPassword: string | null;
  readonly warnings: readonly string[];
}

/** Reads what a check of the directory needs, whatever the rest of the file is like. Throws a SettingsError. */
export function loadLdap(file: string, places: Places): LdapGateway {
  const loaded = readGatewayFile(file, places);
  const check = new Check(file, loaded, null);
  const bindPassword = check.secret('ldap', 'bind_password', 'bind_password_file');
  if (loaded.settings.ldap.uri !== null) checkLdap(loaded.settings, check);
  check.finish();
  return { settings: loaded.settings.ldap, bindPassword, warnings: check.warnings };
}

function readKeys({ jwt }: GatewaySettings, check: Check): TokenKey[] {
  const path = check.credential('jwt.key', jwt.key);
  const hint = '; make one with "rackwright-edge gen-jwt-key"';
  const key = check.tokenKey('jwt', 'key', path, jwt.algorithm, hint);
  if (key?.sign === null) check.fault('jwt', 'key', 'is a public key alone; the gateway must sign');
  const previous =
    jwt.previous_key === null ? null : check.tokenKey('jwt', 'previous_key', jwt.previous_key, jwt.algorithm);
  return [key, previous].filter(one => one !== null);
}

function readSessionKey({ service }: GatewaySettings, check: Check): Buffer | null {
  const path = check.credential('session.key', service.session_key);
  const hint =
    '; make one with "rackwright-edge gen-session-key", the same for all gateways behind one front';
  const bytes = check.read('service', 'session_key', path, hint);
  if (bytes !== null && bytes.length < MIN_SECRET) {
    check.fault(
      'service',
      'session_key',
      `${path} has ${bytes.length} bytes; at least ${MIN_SECRET} are needed`,
    );
  }
  return bytes;
}

function checkAgents({ agents }: GatewaySettings, check: Check): void {
  if (agents.url.length === 0) check.fault('agents', 'url', 'is required: the URL of an agent a line');
  for (const key of ['version', 'racksdb_version'] as const) {
    if (!/^\d+(\.\d+)*$/.test(agents[key])) {
      check.fault('agents', key, `"${agents[key]}" is not a version such as 6.0.0`);
    }
  }
}

function checkOidc({ oidc, ui }: GatewaySettings, secret: string | null, check: Check): void {
  if (oidc.issuer === null) check.fault('oidc', 'issuer', 'is required for sign-in with OpenID Connect');
  if (!oidc.client_id) check.fault('oidc', 'client_id', 'is required for sign-in with OpenID Connect');
  if (ui.host === null && oidc.redirect_uri === null) {
    check.fault('ui', 'host', 'either [ui] host or [oidc] redirect_uri must be set');
  }
  const hasSecret = secret !== null || oidc.client_secret_file !== null;
  if (!hasSecret && oidc.pkce === null) {
    check.fault('oidc', 'pkce', 'a public client (without client_secret) needs pkce: set it to S256');
  }
  if (!hasSecret && oidc.token_auth_method.startsWith('client_secret')) {
    check.fault('oidc', 'token_auth_method', `${oidc.token_auth_method} needs a client_secret`);
  }
  if (oidc.algorithms.length === 0) check.fault('oidc', 'algorithms', 'names no algorithm');
  if (!hasSecret && oidc.algorithms.some(name => name.startsWith('HS'))) {
    check.fault('oidc', 'algorithms', 'HMAC algorithms need a client_secret');
  }
  if (oidc.cacert !== null) check.readPublic('oidc', 'cacert', oidc.cacert);
  if (oidc.pkce === 'plain') {
    check.warnings.push('[oidc]>pkce: plain protects little; use S256 as soon as the provider allows it');
  }
  if (!oidc.verify_ssl) {
    check.warnings.push('[oidc]>verify_ssl: the provider is not authenticated; set cacert instead');
  }
  const issuer = oidc.issuer === null ? null : new URL(oidc.issuer);
  if (issuer?.protocol === 'http:' && !isLoopback(issuer.hostname)) {
    check.warnings.push('[oidc]>issuer: plain http outside this host can be read and changed by others');
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

function checkLdap({ ldap }: GatewaySettings, check: Check): void {
  if (ldap.uri === null) check.fault('ldap', 'uri', 'is required for sign-in with LDAP');
  for (const key of ['user_base', 'group_base'] as const) {
    if (!ldap[key]) check.fault('ldap', key, 'is required for sign-in with LDAP');
  }
  if (ldap.starttls && ldap.uri?.startsWith('ldaps:')) {
    check.fault('ldap', 'starttls', 'has no meaning with an ldaps: uri, which is encrypted from the start');
  }
  if (ldap.group_object_classes.length === 0) {
    check.fault('ldap', 'group_object_classes', 'names no class');
  }
  for (const key of [
    'user_class',
    'user_name_attribute',
    'user_fullname_attribute',
    'user_primary_group_attribute',
    'group_name_attribute',
  ] as const) {
    if (!/^[A-Za-z][\w;.-]*$/.test(ldap[key]))
      check.fault('ldap', key, `"${ldap[key]}" is not a schema name`);
  }
  if (ldap.cacert !== null) check.readPublic('ldap', 'cacert', ldap.cacert);
}

function checkFiles({ ui, agents }: GatewaySettings, check: Check): void {
  if (agents.cacert !== null) check.readPublic('agents', 'cacert', agents.cacert);
  for (const key of [
    'logo_login',
    'logo_login_dark',
    'logo_horizontal',
    'logo_horizontal_dark',
    'favicon',
  ] as const) {
    const path = ui[key];
    if (path === null) continue;
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) check.fault('ui', key, `${path} is no file`);
  }
  if (ui.templates !== null && !statSync(ui.templates, { throwIfNoEntry: false })?.isDirectory()) {
    check.fault('ui', 'templates', `${ui.templates} is no folder`);
  }
  try {
    templatePath(ui);
  } catch (reason) {
    check.fault('ui', 'message_template', typeof reason === 'string' ? reason : toFault(reason).message);
  }
}
