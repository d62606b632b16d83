/** Every verb explains itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addVerbs } from '../../../../edge/cli/verbs.ts';

/** The program as main.ts makes it. */
function assemble(): Command {
  const program = new Command('rackwright');
  addVerbs(program);
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

test('every verb has a summary, a description and an example', () => {
  const program = assemble();
  const lacking: string[] = [];
  let count = 0;
  for (const [path, verb] of verbs(program, '')) {
    count++;
    if (verb.summary() === '' && verb.description() === '') lacking.push(`${path}: no word on what it does`);
    // A verb that only holds others leaves the examples to them.
    if (verb.commands.length > 0) continue;
    if (!/Examples?:\n\s+\S*rackwright /.test(helpOf(verb))) lacking.push(`${path}: no example`);
  }
  assert.ok(count >= 30, `${count} verbs`);
  assert.deepEqual(lacking, []);
});

test('no example shows a verb that does not exist', () => {
  const program = assemble();
  const known = new Set(program.commands.map(verb => verb.name()));
  for (const [path, verb] of verbs(program, '')) {
    const examples = helpOf(verb).split(/Examples?:\n/)[1] ?? '';
    for (const [, rest = ''] of examples.matchAll(/^\s+rackwright ((?:--\S+ \S+ )*.*)$/gm)) {
      const word = rest.replace(/^(--\w+ \S+ )*/, '').split(' ')[0] ?? '';
      assert.ok(known.has(word), `${path}: rackwright ${rest}`);
    }
  }
});
