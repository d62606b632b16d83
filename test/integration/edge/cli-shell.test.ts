/** The command line in shells: completion sourced by bash, tokens kept between commands, readers that leave early. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CLI_MAIN, type CliHome, openCliHome } from '../../support/cli.ts';

let home: CliHome;

before(() => {
  home = openCliHome();
});
after(() => home.remove());

describe('completion in bash', () => {
  let script: string;
  before(async () => {
    script = join(home.path, 'completion.bash');
    writeFileSync(script, (await home.run(['completion', 'bash'])).stdout);
  });

  const complete = (...words: string[]): string[] => {
    const line = ['rackwright', ...words].map(word => `'${word}'`).join(' ');
    const code = `source ${script}; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _rackwright; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-euc', code], { encoding: 'utf8' }).trim().split('\n');
  };

  it('knows the verbs', () => {
    assert.deepEqual(complete('wat'), ['watch']);
    assert.ok(complete('').includes('registry'));
  });

  it('knows the verbs of verbs, and their options with the general ones', () => {
    assert.deepEqual(complete('images', 'env-'), ['env-create', 'env-update', 'env-shell']);
    const flags = complete('registry', 'delete', '--');
    for (const flag of ['--distribution', '--yes', '--json', '--uri']) assert.ok(flags.includes(flag), flag);
  });

  it("does not take an option's value for a verb", () => {
    assert.deepEqual(complete('--uri', 'build', 'his'), ['history']);
  });

  it('offers files where an option takes a value', () => {
    writeFileSync(join(home.path, 'prefs-of-mine.ini'), '');
    assert.deepEqual(complete('--preferences', join(home.path, 'prefs-of')), [
      join(home.path, 'prefs-of-mine.ini'),
    ]);
  });
});

describe('the other scripts', () => {
  it('parse where their shell is installed', async () => {
    for (const shell of ['zsh', 'fish'] as const) {
      const { code, stdout } = await home.run(['completion', shell]);
      assert.equal(code, 0);
      assert.match(stdout, /env-create/);
      const file = join(home.path, `completion.${shell}`);
      writeFileSync(file, stdout);
      const parsed = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      if (!parsed.error) assert.equal(parsed.stderr, '', shell);
    }
  });

  it('are refused for a shell nobody knows', async () => {
    const { code, stderr } = await home.run(['completion', 'csh']);
    assert.equal(code, 2);
    assert.match(stderr, /Allowed choices are bash, zsh, fish/);
  });
});

/** A token as a daemon makes it, without a signature that counts. */
function token(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`;
}

describe('saved tokens', () => {
  const claims = { iat: 1_767_225_600, exp: 4_102_444_800, aud: 'rackwright', sub: 'jane' };
  const uri = 'https://build.example.org/default/?a=>>>';

  it('are kept without a preferences file, readable by their owner only, and listed', async () => {
    const saved = await home.run(['tokens', 'save', '--uri', uri], { input: `${token(claims)}\n` });
    assert.equal(saved.code, 0, saved.stderr);
    assert.equal(saved.stderr, `Saved the token of jane for ${uri}; it expires 2100-01-01 00:00:00\n`);
    const folder = join(home.path, '.config/rackwright/tokens');
    const [file = ''] = readdirSync(folder);
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
    writeFileSync(join(folder, 'stray.token'), 'no token');
    writeFileSync(join(folder, 'notes.txt'), 'no token');
    const listed = await home.run(['tokens']);
    assert.equal(
      listed.stdout,
      `- uri: ${uri}\n  user: jane\n  audience: rackwright\n  issued: 2026-01-01 00:00:00\n  expires: 2100-01-01 00:00:00\n`,
    );
    const told = JSON.parse((await home.run(['tokens', 'list', '--json'])).stdout);
    assert.deepEqual(told, [
      { uri, subject: 'jane', audience: 'rackwright', issued: claims.iat, expires: claims.exp },
    ]);
  });

  it('must be tokens', async () => {
    for (const input of [
      '',
      'abc',
      'a.b.c',
      token({ ...claims, sub: undefined }),
      token({ ...claims, exp: 'soon' }),
    ]) {
      const { code, stderr } = await home.run(['tokens', 'save', '--uri', uri], { input });
      assert.ok(code === 1 || code === 2, `${code} for ${input}`);
      assert.match(stderr, /token/);
    }
    assert.equal((await home.run(['tokens', 'save'], { input: token(claims) })).code, 2);
  });

  it('are found in a directory of the preferences under plain base64, too', async () => {
    const folder = join(home.path, 'old tokens');
    mkdirSync(folder, { recursive: true });
    const name = Buffer.from('http://127.0.0.1:1/x').toString('base64');
    writeFileSync(join(folder, `${name}.token`), token({ ...claims, sub: 'joe' }));
    writeFileSync(join(home.path, '.config/fatbuildr.ini'), `[prefs]\ntokens = ${folder}\n`);
    assert.match(
      (await home.run(['tokens', 'list'])).stdout,
      /^- uri: http:\/\/127\.0\.0\.1:1\/x\n {2}user: joe\n/,
    );
  });
});

describe('preferences', () => {
  it('are refused with file, line and key where they can not be meant so', async () => {
    const file = join(home.path, 'bad.ini');
    writeFileSync(file, '[user]\nnmae = Jane\n[perfs]\n');
    const { code, stderr } = await home.run(['--preferences', file, 'list']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /bad\.ini:2: \[user\]>nmae: unknown key; did you mean "name"\?\n.*bad\.ini:3: \[perfs\]: unknown section; did you mean "prefs"\?/,
    );
  });

  it('named by the option must be there', async () => {
    const { code, stderr } = await home.run(['--preferences', '/nowhere.ini', 'list']);
    assert.equal(code, 1);
    assert.match(stderr, /\/nowhere\.ini: there is no such file of preferences/);
  });
});

describe('at its edges', () => {
  it('a reader that leaves early is no error', () => {
    const shell = spawnSync(
      'bash',
      ['-c', `set -o pipefail; '${process.execPath}' '${CLI_MAIN}' completion bash | head -n 1`],
      {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: home.path },
      },
    );
    assert.equal(shell.stderr, '');
    assert.equal(shell.status, 0);
  });

  it('no daemon, no permission and no such verb are told in words', async () => {
    const gone = await home.run(['--uri', join(home.path, 'gone.sock'), 'list']);
    assert.match(gone.stderr, /gone\.sock: there is no daemon: start rackwrightd or `rackwright up`/);
    assert.equal(gone.code, 1);
    const dead = join(home.path, 'dead.sock');
    writeFileSync(dead, '');
    const refused = await home.run(['--uri', dead, 'list']);
    assert.equal(refused.code, 1);
    chmodSync(dead, 0o600);
    const verb = await home.run(['biuld']);
    assert.equal(verb.code, 2);
    assert.match(verb.stderr, /unknown command 'biuld'\n\(Did you mean build\?\)/);
    const none = await home.run([]);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /Usage: rackwright/);
  });

  it('what is not built yet says so', async () => {
    const { code, stderr } = await home.run(['import-srcrpm', 'x.src.rpm']);
    assert.equal(code, 1);
    assert.match(stderr, /does not import source rpms/);
  });
});
