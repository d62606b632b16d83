/** The keys of gateway.ini with their types and defaults. */
import { join } from 'node:path';
import {
  bool,
  choice,
  duration,
  int,
  list,
  type Places,
  path,
  type Schema,
  type Settings,
  secret,
  text,
} from '../../systemd/settings.ts';
import { ALGORITHMS } from '../auth/key.ts';
import { networks } from '../http/networks.ts';
import { uri, uris } from '../http/uri.ts';
import { choices, colour } from './fields.ts';

const DAY = 86_400;
/** Algorithms that an ID token may be signed with; HMAC only where a site lists it. */
const ID_TOKEN_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
] as readonly string[];
const HMAC = ['HS256', 'HS384', 'HS512'];

/** What debug lines are about: the gateway's own work, requests to the directory, encryption to it. */
export const LOG_FLAGS = ['slurmweb', 'ldap', 'tls'] as const;

/** The schema for the paths of an installation. */
export function gatewaySchema({ lib }: Pick<Places, 'lib'>) {
  return {
    service: {
      interface: text('localhost'),
      port: int(5011, 0, 65_535),
      cors: bool(false),
      debug: bool(false),
      log_flags: list(['ALL']),
      debug_flags: list([]),
      session_key: path(join(lib, 'session.key')),
      trusted_proxies: networks([]),
      session_store: storeUri(`file:${join(lib, 'sessions')}`),
    },
    ui: {
      host: uri(null),
      enabled: bool(true),
      path: path(null),
      templates: path(null),
      message_template: text(null),
      message_login: path(null),
      hide_denied: bool(false),
      racksdb_rows_labels: bool(false),
      racksdb_racks_labels: bool(false),
      color_light: colour(),
      color_main: colour(),
      color_darker: colour(),
      color_dark: colour(),
      color_verydark: colour(),
      color_font_disabled: colour(),
      logo_login: path(null),
      logo_login_dark: path(null),
      logo_horizontal: path(null),
      logo_horizontal_dark: path(null),
      favicon: path(null),
      logo_alt: text(null),
    },
    agents: {
      url: uris(),
      cacert: path(null),
      version: text('6.0.0'),
      racksdb_version: text('0.5.0'),
      timeout: seconds(10, 1, 600),
    },
    authentication: { enabled: bool(false), method: choice('ldap', ['ldap', 'oidc']) },
    ldap: {
      uri: uri(null, ['ldap', 'ldaps']),
      cacert: path(null),
      starttls: bool(false),
      user_base: text(null),
      group_base: text(null),
      user_class: text('posixAccount'),
      user_name_attribute: text('uid'),
      user_fullname_attribute: text('cn'),
      user_primary_group_attribute: text('gidNumber'),
      group_name_attribute: text('cn'),
      group_object_classes: list(['posixGroup', 'groupOfNames']),
      lookup_user_dn: bool(true),
      bind_dn: text(null),
      bind_password: secret(),
      bind_password_file: path(null),
      lookup_as_user: bool(null),
      restricted_groups: optionalList(),
      nested_groups: bool(false),
    },
    oidc: {
      issuer: uri(null),
      client_id: text(null),
      client_secret: secret(),
      client_secret_file: path(null),
      redirect_uri: uri(null),
      scope: text('openid profile email'),
      subject_claim: text('sub'),
      fullname_claim: text('name'),
      groups_claim: text('groups'),
      restricted_groups: optionalList(),
      pkce: pkceMethod(),
      verify_ssl: bool(true),
      cacert: path(null),
      token_auth_method: choice('auto', ['auto', 'none', 'client_secret_basic', 'client_secret_post']),
      algorithms: choices(ID_TOKEN_ALGORITHMS, [...ID_TOKEN_ALGORITHMS, ...HMAC]),
      clock_skew: seconds(60, 0, 600),
      timeout: seconds(10, 1, 120),
      proxy: uri(null),
      post_logout_redirect_uri: uri(null),
    },
    jwt: {
      key: path(join(lib, 'jwt.key')),
      previous_key: path(null),
      duration: int(1, 1, 3650),
      algorithm: choice('HS256', ALGORITHMS),
      audience: text('slurm-web'),
    },
  } satisfies Schema;
}

export type GatewaySettings = Settings<ReturnType<typeof gatewaySchema>>;

function optionalList() {
  const { read } = list([]);
  return { fallback: null as readonly string[] | null, read };
}

/** Whole seconds within bounds; `10`, `10 s` and `1 min` alike. */
function seconds(fallback: number, min: number, max: number) {
  const { read } = duration(fallback);
  return {
    fallback,
    read: (value: string): number => {
      const number = read(value);
      if (number < min || number > max || number > DAY) throw `${value} is not between ${min} and ${max} s`;
      return number;
    },
  };
}

function pkceMethod() {
  return {
    fallback: null as 'S256' | 'plain' | null,
    read: (value: string): 'S256' | 'plain' => {
      if (value === 'S256' || value === 'plain') return value;
      throw `"${value}" is no PKCE method: use S256, or plain for old providers, or leave the key out`;
    },
  };
}

/** `file:/PATH` or `redis://[:PASSWORD@]HOST[:PORT][/DB]`. A password makes it a secret of show-conf. */
function storeUri(fallback: string) {
  return {
    fallback,
    read: (value: string): string => {
      if (/^file:\/(?!\/)/.test(value) || /^file:\/\/\//.test(value)) return value;
      if (URL.canParse(value) && new URL(value).protocol === 'redis:') return value;
      throw `"${value}" is neither file:/PATH nor redis://HOST`;
    },
  };
}
