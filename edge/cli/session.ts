/** What a verb begins with: the user's preferences, the server chosen, and a connection to it. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { errorCode, Fault } from '../../proto/fault.ts';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import type { Api } from './api.ts';
import { grpcApi } from './grpc-api.ts';
import { type Preferences, readPreferences } from './preferences.ts';
import type { GeneralOptions } from './program.ts';
import { restApi } from './rest-api.ts';
import { openRest } from './rest-client.ts';
import { type Surroundings, say, surroundingsOf } from './surroundings.ts';
import { chooseUri, parseTarget, type Target } from './target.ts';
import { findToken } from './token-files.ts';

export interface Session {
  readonly surroundings: Surroundings;
  readonly preferences: Preferences;
  readonly target: Target;
  /** Token for the target, or null. */
  readonly token: string | null;
  readonly json: boolean;
  readonly debug: boolean;
  readonly api: Api;
}

/** Everything but the connection: for verbs that need no server, or speak to it themselves. */
export async function prepare(command: Command): Promise<Omit<Session, 'api'>> {
  const surroundings = surroundingsOf(command);
  const options = command.optsWithGlobals<GeneralOptions>();
  const { env, cwd } = surroundings;
  const preferences = readPreferences(surroundings, options.preferences);
  const uri = chooseUri({ option: options.uri, env, preference: preferences.uri });
  return {
    surroundings,
    preferences,
    target: parseTarget(uri, cwd, options.instance),
    token: env.RACKWRIGHT_TOKEN || (await findToken(preferences.tokens, uri)),
    json: options.json === true,
    debug: options.debug === true || options.fulldebug === true,
  };
}

/** Runs a verb with a connection to the chosen server, which is closed at its end however that came. */
export async function withSession<T>(command: Command, run: (session: Session) => Promise<T>): Promise<T> {
  const prepared = await prepare(command);
  const loud = command.optsWithGlobals<GeneralOptions>().fulldebug === true;
  const trace = (text: string): void => {
    if (loud) say(prepared.surroundings, `debug: ${text}`);
  };
  const api = await openApi(prepared, trace);
  try {
    return await run({ ...prepared, api });
  } finally {
    await api.close();
  }
}

async function openApi(session: Omit<Session, 'api'>, trace: (text: string) => void): Promise<Api> {
  const { target, token, surroundings } = session;
  if (target.kind === 'http') {
    return restApi(openRest({ base: target.base, complete: target.complete, token, trace }), target.uri);
  }
  await checkSocket(target.path);
  trace(`socket ${target.path}, instance ${target.instance}`);
  return grpcApi(connect(loadProtocol(), `unix:${target.path}`), target.uri, target.instance, {
    authorization: token === null ? undefined : `Bearer ${token}`,
    login: surroundings.login,
  });
}

/** Tells early, and in words, why a socket can't be used. */
async function checkSocket(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const code = errorCode(error);
    const why =
      code === 'ENOENT'
        ? 'there is no daemon: start rackwrightd or `rackwright up`, or name a server with --uri'
        : code === 'EACCES'
          ? 'you may not open it: its group is rackwright; over HTTP a token does'
          : `it can't be opened (${code})`;
    throw new Fault('unavailable', 'unreachable', `${path}: ${why}`, {}, { cause: error });
  }
}
