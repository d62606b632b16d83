/** Every verb explains itself. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';

const FOLDER = new URL('../../../../edge/cli/', import.meta.url);

/** The program with the verbs of every file, as main.ts joins them. */
async function assemble(): Promise<Command> {
  const program = new Command('rackwright');
  for (const name of readdirSync(fileURLToPath(FOLDER)).sort()) {
    if (name === 'main.ts') continue;
    const module = (await import(new URL(name, FOLDER).href)) as Record<string, unknown>;
    for (const [exported, add] of Object.entries(module)) {
      if (/^add\w+Command$/.test(exported)) (add as (program: Command) => void)(program);
    }
  }
  return program;
}

function* verbs(command: Command, path: string): Generator<[string, Command]> {
  for (const verb of command.commands) {
    const whole = `${path} ${verb.name()}`.trim();
    yield [whole, verb];
    yield* verbs(verb, whole);
  }
}

/** The help of a verb with what stands behind it, as it is printed. */
function helpOf(verb: Command): string {
  let text = '';
  verb.configureOutput({ writeOut: words => (text += words) });
  verb.outputHelp();
  return text;
}

test('every verb has a summary, a description and an example', async () => {
  const program = await assemble();
  const lacking: string[] = [];
  let count = 0;
  for (const [path, verb] of verbs(program, '')) {
    count++;
    if (verb.summary() === '' && verb.description() === '') lacking.push(`${path}: no word on what it does`);
    if (!/Examples?:\n\s+\S*rackwright /.test(helpOf(verb))) lacking.push(`${path}: no example`);
  }
  assert.ok(count >= 30, `${count} verbs`);
  assert.deepEqual(lacking, []);
});

test('no example shows a verb that does not exist', async () => {
  const program = await assemble();
  const known = new Set(program.commands.map(verb => verb.name()));
  for (const [path, verb] of verbs(program, '')) {
    const examples = helpOf(verb).split(/Examples?:\n/)[1] ?? '';
    for (const [, rest = ''] of examples.matchAll(/^\s+rackwright ((?:--\S+ \S+ )*.*)$/gm)) {
      const word = rest.replace(/^(--\w+ \S+ )*/, '').split(' ')[0] ?? '';
      assert.ok(known.has(word), `${path}: rackwright ${rest}`);
    }
  }
});
