/** Subcommands of the edge for whoever installs a gateway: making its keys. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Places, SettingsError } from '../../systemd/settings.ts';
import { gatewayFile, readGatewayFile } from './settings.ts';

/** What a subcommand works with; the caller's process is touched by nobody else. */
export interface CommandSurroundings {
  readonly places: Places;
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** Runs with the words behind its name; answers the exit status. */
export type Subcommand = (words: readonly string[], around: CommandSurroundings) => number;

/** By name: `gen-jwt-key [--with-slurm]`, `gen-session-key`; each takes `--conf PATH`. */
export const gatewayCommands: Readonly<Record<string, Subcommand>> = {
  'gen-jwt-key': (words, around) =>
    command(words, ['--with-slurm'], around, ({ jwt }, flags) => {
      const { key, algorithm } = jwt;
      if (!algorithm.startsWith('HS')) {
        around.warn(
          `[jwt]>algorithm is ${algorithm}: make its PEM key with openssl, such as "openssl genpkey"`,
        );
        return 1;
      }
      // 64 hex characters are the key's bytes, as Slurm-web's own tool makes them.
      const made = makeKey(key, randomBytes(32).toString('hex'), 0o400, around);
      return made && flags.includes('--with-slurm') ? allowSlurm(key, around) : 0;
    }),
  'gen-session-key': (words, around) =>
    command(words, [], around, ({ service }) => {
      makeKey(service.session_key, randomBytes(64).toString('base64url'), 0o600, around);
      return 0;
    }),
};

type GatewaySettings = ReturnType<typeof readGatewayFile>['settings'];

function command(
  words: readonly string[],
  allowed: readonly string[],
  around: CommandSurroundings,
  run: (settings: GatewaySettings, flags: readonly string[]) => number,
): number {
  const at = words.indexOf('--conf');
  const conf = at < 0 ? gatewayFile(around.places) : words[at + 1];
  const flags = words.filter((_word, index) => at < 0 || (index !== at && index !== at + 1));
  const wrong = flags.find(word => !allowed.includes(word));
  if (wrong !== undefined || conf === undefined) {
    around.warn(
      conf === undefined
        ? '--conf needs a path'
        : `unknown word ${wrong}; known: ${allowed.join(', ') || '--conf'}`,
    );
    return 2;
  }
  try {
    // Keys are made before the file is written, too; a file that was named must be there.
    return run(readGatewayFile(conf, around.places, at >= 0).settings, flags);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const line of error.message.split('\n')) around.warn(line);
    return 1;
  }
}

function makeKey(path: string, content: string, mode: number, { print, warn }: CommandSurroundings): boolean {
  if (existsSync(path)) {
    warn(`${path} exists already; it is left as it is`);
    return true;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  writeFileSync(path, content, { mode, flag: 'wx' });
  print(`${path} made`);
  return true;
}

/** Lets the scheduler's own user read the key, so that both sign with the same. */
function allowSlurm(path: string, { print, warn }: CommandSurroundings): number {
  const run = spawnSync('setfacl', ['-m', 'u:slurm:r', path], { encoding: 'utf8' });
  if (run.status === 0) {
    print(`user slurm may read ${path}`);
    return 0;
  }
  const reason = run.error ? 'setfacl is not installed (package acl)' : run.stderr.trim();
  warn(`user slurm can't be given ${path}: ${reason}`);
  return 1;
}
