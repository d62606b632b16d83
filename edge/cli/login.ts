/** `rackwright login`: signs in at a gateway as in a browser and keeps the token for this machine's commands. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { showTime } from './blocks.ts';
import { UsageError } from './exit.ts';
import { askPassword } from './password.ts';
import type { GeneralOptions } from './program.ts';
import { prepare } from './session.ts';
import { print, type Surroundings, say } from './surroundings.ts';
import { saveToken } from './token-files.ts';

interface LoginOptions extends GeneralOptions {
  readonly user?: string;
  readonly loopback?: boolean;
  readonly browser?: boolean;
}

interface SignedIn {
  readonly token: string;
  readonly login: string;
}

interface DeviceAnswer {
  readonly handle: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string | null;
  readonly expires_in: number;
  readonly interval: number;
}

/** Milliseconds for one request, and for a person to sign in. */
const REQUEST_TIMEOUT = 30_000;
const PERSON_TIMEOUT = 600_000;

/** Adds the verb. */
export function addLoginCommand(program: Command): void {
  program
    .command('login <gateway>')
    .summary('sign in at a gateway and keep its token')
    .description(
      'Signs in at the gateway and saves its token, for the server of --uri where one is given, else for the gateway.\n' +
        'With an identity provider you confirm a code in any browser, or are sent to a browser here; with a directory\n' +
        'you type your password, or it is read from standard input.',
    )
    .option('--user <login>', 'name in the directory (default: yours)')
    .option('--loopback', "don't use codes: send a browser of this machine to sign in")
    .option('--no-browser', "don't open a browser, only show the address")
    .addHelpText(
      'after',
      '\nExample:\n  rackwright login https://dash.example.org --uri https://build.example.org/default',
    )
    .action((gateway: string, _options: unknown, command: Command) => login(gateway, command));
}

async function login(gateway: string, command: Command): Promise<void> {
  const { surroundings, preferences, json } = await prepare(command);
  const options = command.optsWithGlobals<LoginOptions>();
  if (!/^https?:\/\//.test(gateway) || !URL.canParse(gateway))
    throw new UsageError(`${gateway} is no address of a gateway`);
  const base = gateway.replace(/\/+$/, '');
  const config = await ask<{ AUTHENTICATION?: boolean; AUTHENTICATION_METHOD?: string }>(
    `${base}/config.json`,
  );
  if (config.body.AUTHENTICATION !== true) {
    throw new Fault('refused', 'sign-in-failed', `${base} asks nobody to sign in`);
  }
  const signedIn =
    config.body.AUTHENTICATION_METHOD === 'oidc'
      ? await withProvider(base, options, surroundings)
      : await withDirectory(base, options, surroundings);
  const uri = options.uri ?? gateway;
  const { expires } = await saveToken(preferences.tokens, uri, signedIn.token);
  if (json) print(surroundings, JSON.stringify({ uri, login: signedIn.login, expires }));
  else say(surroundings, `Signed in as ${signedIn.login} for ${uri}; the token expires ${showTime(expires)}`);
}

async function withDirectory(base: string, options: LoginOptions, around: Surroundings): Promise<SignedIn> {
  const user = options.user ?? around.login;
  const password = await askPassword(around, `Password of ${user}: `);
  return (await ask<SignedIn>(`${base}/api/login`, { user, password })).body;
}

async function withProvider(base: string, options: LoginOptions, around: Surroundings): Promise<SignedIn> {
  const show = (url: string): void => {
    say(around, `  ${url}`);
    if (options.browser !== false) openBrowser(url, around);
  };
  if (options.loopback !== true) {
    const device = await ask<DeviceAnswer>(`${base}/api/oidc/device`, {}, [501]);
    if (device.status === 200) return byCode(base, device.body, show, around);
  }
  return byLoopback(base, show, around);
}

/** The device flow (RFC 8628), which the gateway walks with the provider. */
async function byCode(
  base: string,
  device: DeviceAnswer,
  show: (url: string) => void,
  around: Surroundings,
): Promise<SignedIn> {
  say(around, `Confirm the code ${device.user_code} at`);
  show(device.verification_uri_complete ?? device.verification_uri);
  const end = around.now() + device.expires_in * 1000;
  let interval = device.interval;
  while (around.now() < end) {
    await pause(interval * 1000);
    const answer = await ask<SignedIn & { result: string }>(
      `${base}/api/oidc/token`,
      { handle: device.handle },
      [202],
    );
    if (answer.status === 200) return answer.body;
    // RFC 8628 section 3.5.
    if (answer.body.result === 'slow_down') interval += 5;
  }
  throw new Fault('unavailable', 'timeout', 'nobody confirmed the code in time');
}

/** A browser of this machine comes back to a port of ours with a code that only we can redeem (RFC 8252). */
async function byLoopback(
  base: string,
  show: (url: string) => void,
  around: Surroundings,
): Promise<SignedIn> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    say(around, 'Sign in with your browser at');
    const arrival = waitForCode(server);
    show(`${base}/api/oidc/login?loopback=${port}&code_challenge=${challenge}`);
    const code = await arrival;
    return (await ask<SignedIn>(`${base}/api/oidc/token`, { code, code_verifier: verifier })).body;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function waitForCode(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Fault('unavailable', 'timeout', 'nobody signed in within ten minutes')),
      PERSON_TIMEOUT,
    );
    server.on('request', (request, reply) => {
      const query = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams;
      const [code, error] = [query.get('code'), query.get('error')];
      reply.writeHead(code || error ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        connection: 'close',
      });
      reply.end(
        code ? 'You are signed in; go back to your terminal.\n' : 'The sign-in failed; see your terminal.\n',
      );
      if (!code && !error) return;
      clearTimeout(late);
      if (code) resolve(code);
      else
        reject(
          new Fault(
            'unauthenticated',
            'sign-in-failed',
            `the sign-in failed: ${error?.replace(/[^\w-]/g, '')}`,
          ),
        );
    });
  });
}

function openBrowser(url: string, around: Surroundings): void {
  // Without a display the address on the screen has to do.
  if (!around.env.DISPLAY && !around.env.WAYLAND_DISPLAY) return;
  const child = spawn('xdg-open', [url], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}

/** Asks the gateway; with a body by POST. Throws a Fault with the gateway's own sentence unless the status is welcome. */
async function ask<T>(
  url: string,
  body?: object,
  welcome: readonly number[] = [],
): Promise<{ readonly status: number; readonly body: T }> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new Fault('unavailable', 'unreachable', `${new URL(url).origin} can't be reached: ${reason}`);
  }
  const content = (await answer.json().catch(() => null)) as (T & { description?: unknown }) | null;
  if (answer.status === 200 || welcome.includes(answer.status)) {
    if (content !== null) return { status: answer.status, body: content };
    throw new Fault('unavailable', 'unreachable', `${url} does not answer as a gateway does`);
  }
  const said =
    typeof content?.description === 'string' ? content.description : `${url} answered ${answer.status}`;
  throw new Fault('unauthenticated', 'sign-in-failed', said);
}
