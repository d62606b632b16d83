/**
 * `npm run demo`: the main journey on this machine, with real parts only. Starts daemon and edge in a throw-away home,
 * builds GNU hello and a small package of ours, installs both with apt from the registry, draws a room.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addRegistry, openAptRoot, sourceLine } from '../support/apt-root.ts';
import { startPair } from '../support/pair.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = join(ROOT, 'docs/examples');
const began = Date.now();

function say(text: string): void {
  const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`\n\u25b6 ${seconds} s  ${text}\n`);
}

/** Runs the command line of ours with this terminal; its live log and progress are what the user sees. */
function rackwright(uri: string, ...parameters: string[]): Promise<void> {
  process.stdout.write(`  $ rackwright ${parameters.join(' ')}\n`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'edge/cli/main.ts'), '--uri', uri, ...parameters], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', code => {
      if (code === 0) resolve();
      else reject(new Error(`rackwright ${parameters[0]} ended with ${code}`));
    });
  });
}

const home = await mkdtemp(join(tmpdir(), 'rackwright-demo-'));
// Environments take a minute to make: they are kept between demos, outside the throw-away home.
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rackwright', 'demo');
await mkdir(cache, { recursive: true });
await mkdir(join(home, 'etc'));
await writeFile(
  join(home, 'etc/rackwright.ini'),
  `[dirs]\ncache = ${cache}\n[drawing]\ndatabase = ${join(EXAMPLES, 'inventory/full')}\n`,
);
// The demo's visitors have no token: everybody on this machine may build.
await writeFile(
  join(home, 'etc/policy.ini'),
  '[roles]\nanonymous\n[anonymous]\nactions=view-pipeline,view-registry,view-task,view-keyring,build\n',
);

say('Starting daemon and edge in a throw-away home');
const pair = await startPair({ home });
process.stdout.write(`  ready ${pair.url}\n`);
let apt: Awaited<ReturnType<typeof openAptRoot>> | null = null;
try {
  say("Fetching the upstream tarball of GNU hello from Debian's archive");
  const sources = join(home, 'sources');
  await mkdir(sources);
  const tarball = execFileSync('sh', [join(ROOT, 'test/support/fetch-hello.sh'), sources], {
    encoding: 'utf8',
  }).trim();
  process.stdout.write(`  ${tarball}\n`);

  const who = ['-n', 'Demo Visitor', '-e', 'demo@example.org'];
  say('Building GNU hello (the first build makes signing key and build environment)');
  await rackwright(
    ...([
      pair.url,
      'build',
      '-a',
      'hello',
      '-b',
      EXAMPLES,
      ...who,
      '-m',
      'First build',
      '--sources',
      tarball,
    ] as const),
  );
  say('Building greeter, a source with two binary packages');
  await rackwright(
    pair.url,
    'build',
    '-a',
    'greeter',
    '-b',
    EXAMPLES,
    ...who,
    '-m',
    'First build',
    '--sources',
    `1.0@${join(EXAMPLES, 'greeter/src')}`,
  );

  const distribution = pair.distribution;
  say('What the registry holds');
  await rackwright(pair.url, 'registry', 'list', '-d', distribution);

  say('Installing both with apt in a throw-away root that trusts nothing but our key');
  apt = await openAptRoot(pair.environmentRoot());
  const keyring = await (await fetch(`${pair.url}/default/keyring.asc`)).text();
  const line = sourceLine(`${pair.url}/default`, distribution, ['main']);
  const commands = [
    addRegistry(keyring, line),
    'apt-get install -y --no-install-recommends hello greeter 2>&1',
    'echo; echo "--- hello says:"; hello',
    'echo "--- greeter says:"; greeter',
  ];
  const installed = await apt.run(commands.join('\n'));
  process.stdout.write(installed.output.replace(/^/gm, '  '));
  if (installed.code !== 0) throw new Error(`apt ended with ${installed.code}`);

  say('Drawing a room');
  const picture = join(tmpdir(), 'rackwright-demo-room.png');
  const drawn = await fetch(`${pair.url}/v0.5.0/draw/room/hall.png`, { method: 'POST' });
  if (!drawn.ok) throw new Error(`the room was not drawn: ${drawn.status} ${await drawn.text()}`);
  await writeFile(picture, Buffer.from(await drawn.arrayBuffer()));
  process.stdout.write(`  ${picture}\n`);

  say('Done. Open:');
  for (const [what, path] of [
    ['instances, registry, builds', '/'],
    ['the registry for apt', `/default/deb/dists/${distribution}/InRelease`],
    ['the signing key', '/default/keyring.asc'],
    ['the REST description', '/openapi.json'],
    ['the room', '/v0.5.0/draw/room/hall.svg'],
  ] as const) {
    process.stdout.write(`  ${pair.url}${path}  ${what}\n`);
  }
  process.stdout.write(`  ${picture}  the room as a picture\n`);
  if (process.stdin.isTTY) {
    process.stdout.write('\nPress Ctrl-C to stop everything and remove the throw-away home.\n');
    await new Promise<void>(resolve => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
  }
} finally {
  await apt?.close();
  await pair.stop();
  await rm(home, { recursive: true, force: true });
}
