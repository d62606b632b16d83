/** The real pair with tokens for its roles, and a build submitted the way the existing client does it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import { greeterSample, pack } from './definitions.ts';
import { BOUNDARY, multipart, type RawPart } from './edge-home.ts';
import { testCache } from './environment.ts';
import { type Pair, startPair } from './pair.ts';

export interface RestPair {
  readonly pair: Pair;
  readonly home: string;
  readonly url: string;
  /** A token of a login that is in role `builders`, and one that may do everything. */
  readonly builder: string;
  readonly admin: string;
  stop(): Promise<void>;
}

/** The default policy with logins instead of groups. */
const POLICY = `[roles]
anonymous
builders=jane
admins=root
[anonymous]
actions=view-pipeline,view-registry,view-task,view-keyring
[builders]
actions=build,edit-registry,edit-task
[admins]
actions=@builders,manage-image,edit-keyring,purge-history,manage-token
`;

/** Starts both. Environments are kept between runs in the tests' cache. */
export async function startRestPair(): Promise<RestPair> {
  const home = mkdtempSync(join(tmpdir(), 'rest-'));
  const cache = join(testCache(), 'pair');
  mkdirSync(cache, { recursive: true });
  mkdirSync(join(home, 'etc'));
  writeFileSync(join(home, 'etc/policy.ini'), POLICY);
  writeFileSync(join(home, 'etc/rackwright.ini'), `[dirs]\ncache = ${cache}\n[edge]\nheartbeat = 2\n`);
  const pair = await startPair({ home });
  const connection = connect(loadProtocol(), `unix:${pair.controlSocket}`);
  const tokens = connection.service('TokenService');
  const issue = async (subject: string) =>
    (await tokens.issueToken({ instance: 'default', subject }, { login: 'root' })).token;
  const [builder, admin] = [await issue('jane'), await issue('root')];
  connection.close();
  return {
    pair,
    home,
    url: pair.url,
    builder,
    admin,
    stop: async () => {
      await pair.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The parts of a submission of our small example, in the order in which the existing client sends them. */
export function greeterParts(rest: RestPair, changes: Readonly<Record<string, string>> = {}): RawPart[] {
  const work = mkdtempSync(join(tmpdir(), 'parts-'));
  try {
    const sample = greeterSample(work);
    const [source] = sample.sources;
    const fields: Record<string, string> = {
      format: 'deb',
      distribution: rest.pair.distribution,
      architectures: process.arch === 'arm64' ? 'aarch64' : 'x86_64',
      derivative: 'main',
      artifact: sample.artifact,
      user_name: 'Jane Roe',
      user_email: 'jane@example.org',
      message: 'First build',
      ...changes,
    };
    const definition = readFileSync(pack(sample.folder, join(work, 'definition.tar.xz')));
    return [
      ...Object.entries(fields).map(([name, body]) => ({ name, body })),
      { name: 'tarball', filename: 'definition.tar.xz', body: definition },
      ...(source
        ? [{ name: `source/${source.id}`, filename: basename(source.path), body: readFileSync(source.path) }]
        : []),
    ];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** `POST build` as jane. */
export function submit(
  rest: RestPair,
  parts: readonly RawPart[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${rest.url}/default/build`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${rest.builder}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
    body: new Uint8Array(multipart(parts)),
  });
}
