/** Routes of the browser frontend: its configuration, files, branding, the login message, and one page for every path. */
import { basename, extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../../proto/fault.ts';
import { VERSION } from '../../../proto/words.ts';
import { allowedMethods, type KnownRoute } from '../../http/methods.ts';
import { Refusal } from '../../http/problem.ts';
import { Frontend, type FrontendFile } from '../frontend.ts';
import { messagePage } from '../message.ts';
import type { GatewaySettings } from '../schema.ts';
import { publicPrefix } from '../target.ts';

export interface PageRouteParts {
  readonly settings: GatewaySettings;
  /** Folder of the built pages, where [ui] path names none. */
  readonly pages: string;
  /** No other role has pages on this address. */
  readonly alone: boolean;
  /** The gateway's routes, for the methods of paths below /api. */
  readonly known: readonly KnownRoute[];
}

const LOGOS = ['logo_login', 'logo_login_dark', 'logo_horizontal', 'logo_horizontal_dark'] as const;
const COLOURS = [
  'color_light',
  'color_main',
  'color_darker',
  'color_dark',
  'color_verydark',
  'color_font_disabled',
] as const;
/** Paths of browser frontends, known even where another role has the rest. */
const FRONTEND_PATHS = ['/auth', '/auth/*', '/login', '/signout'];

export function addPageRoutes(app: FastifyInstance, parts: PageRouteParts): void {
  const { settings } = parts;
  const config = describe(settings);
  app.get('/config.json', async (_request, reply) => reply.header('cache-control', 'no-cache').send(config));
  app.get('/api/version', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(`Rackwright gateway v${VERSION}\n`),
  );
  app.get('/api/messages/login', async (_request, reply) => {
    const message = await messagePage(settings.ui);
    // Shown in a frame of the frontend's own page, and nowhere else; a site's template brings its styles.
    void reply.header(
      'content-security-policy',
      "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox allow-popups",
    );
    return reply.header('x-content-type-options', 'nosniff').type('text/html; charset=utf-8').send(message);
  });
  if (!settings.ui.enabled) return;
  addFiles(app, parts);
}

function addFiles(app: FastifyInstance, { settings, pages, alone, known }: PageRouteParts): void {
  const frontend = new Frontend(settings.ui.path ?? pages, publicPrefix(settings));
  const policy = contentPolicy(settings);
  const send = (reply: FastifyReply, file: FrontendFile): FastifyReply =>
    reply
      .headers({
        'content-security-policy': policy,
        'content-type': file.type,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      })
      .send(file.body);
  const sendPath = async (path: string, reply: FastifyReply): Promise<FastifyReply> => {
    const file = await frontend.read(path);
    if (!file) throw new Fault('not_found', 'not-found', `nothing is at ${path.slice(0, 200)}`);
    return send(reply, file);
  };
  const sendIndex = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const file = await frontend.read('index.html');
    if (file) return send(reply, file);
    throw new Refusal(503, 'the browser pages are not built: run "npm run build:web", or set [ui] path');
  };
  for (const folder of ['assets', 'logo', 'static']) {
    if (folder === 'static' && !alone) continue;
    app.get(`/${folder}/*`, async (request, reply) =>
      sendPath(`${folder}/${(request.params as Record<string, string>)['*'] ?? ''}`, reply),
    );
  }
  for (const [name, path] of [...LOGOS, 'favicon' as const].flatMap(key =>
    settings.ui[key] === null ? [] : [[key, settings.ui[key]] as const],
  )) {
    const site = new Frontend(path.slice(0, -basename(path).length), '');
    app.get(brandPath(name, path), async (_request, reply) => {
      const file = await site.read(basename(path));
      if (!file) throw new Fault('not_found', 'not-found', `${name} can't be read`);
      return send(reply, file);
    });
  }
  if (settings.ui.favicon === null)
    app.get('/favicon.ico', (_request, reply) => sendPath('favicon.ico', reply));
  app.get('/', sendIndex);
  if (alone) {
    // Single-page frontends have paths of their own; only what looks like a file can be missing.
    app.get('/*', async (request, reply) => {
      const path = (request.params as Record<string, string>)['*'] ?? '';
      if (/^(api|agent)(\/|$)/.test(path)) throw refuse(request, `/${path}`, known);
      const file = extname(path) === '' ? null : await frontend.read(path);
      return file ? send(reply, file) : sendIndex(request, reply);
    });
  } else for (const path of FRONTEND_PATHS) app.get(path, sendIndex);
}

/** What is no route below /api never delivers the frontend. */
function refuse({ method }: FastifyRequest, path: string, known: readonly KnownRoute[]): Fault {
  const allow = allowedMethods(known, path).join(', ');
  if (allow !== '') return new Refusal(405, `${method} is not possible here, but ${allow}`, { allow });
  return new Fault('not_found', 'not-found', `nothing is at ${path.slice(0, 200)}`);
}

/** GET /config.json. */
function describe(settings: GatewaySettings): Readonly<Record<string, string | boolean>> {
  const { ui, service, authentication } = settings;
  const prefix = publicPrefix(settings);
  const config: Record<string, string | boolean> = {
    API_SERVER: ui.host?.replace(/\/$/, '') ?? `http://localhost:${service.port}`,
    AUTHENTICATION: authentication.enabled,
    ...(authentication.enabled ? { AUTHENTICATION_METHOD: authentication.method } : {}),
    RACKSDB_ROWS_LABELS: ui.racksdb_rows_labels,
    RACKSDB_RACKS_LABELS: ui.racksdb_racks_labels,
    VERSION,
  };
  for (const key of COLOURS) if (ui[key] !== null) config[key.toUpperCase()] = ui[key];
  for (const key of LOGOS) if (ui[key] !== null) config[key.toUpperCase()] = prefix + brandPath(key, ui[key]);
  if (ui.favicon !== null) config.FAVICON = prefix + brandPath('favicon', ui.favicon);
  if (ui.logo_alt !== null) config.LOGO_ALT = ui.logo_alt;
  return config;
}

function brandPath(key: string, path: string): string {
  return key === 'favicon' ? '/favicon.ico' : `/logo/${key}${extname(path).toLowerCase()}`;
}

/** Nothing from elsewhere but what frontends need: inline styles, drawn images, the login message's frame, the API. */
function contentPolicy({ ui }: GatewaySettings): string {
  const api = ui.host === null ? '' : ` ${new URL(ui.host).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self'${api}`,
    `frame-src 'self'${api}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
