/**
 * Templates beside the real Jinja: `test/support/jinja-golden.jsonl` holds templates and what Jinja makes of them. New
 * ones are added with `null` and filled in by `python3 test/support/jinja.py test/support/jinja-golden.jsonl --write`.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../../proto/fault.ts';
import { TemplateRenderer } from '../../../workers/source/templates.ts';

const SUPPORT = fileURLToPath(new URL('../../support/', import.meta.url));
const GOLDEN = `${SUPPORT}jinja-golden.jsonl`;
/** Templates, with their texts, or null where Jinja refuses them. */
type Case = readonly [template: string, text: string | null];

const [context, ...golden] = readFileSync(GOLDEN, 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line)) as [Record<string, unknown>, ...Case[]];

const renderer = new TemplateRenderer(new AbortController().signal);
after(() => renderer.close());

const render = (template: string): Promise<string> => renderer.render('deb/x.j2', template, context);
const title = (template: string): string => JSON.stringify(template).slice(0, 90);

describe('templates give what Jinja gives', () => {
  for (const [template, text] of golden.filter(([, text]) => text !== null))
    test(title(template), async () => assert.equal(await render(template), text));
});

describe('templates that Jinja refuses are refused with their line', () => {
  for (const [template] of golden.filter(([, text]) => text === null)) {
    test(title(template), async () =>
      assert.rejects(render(template), (error: Fault) => {
        assert.ok(error instanceof Fault, String(error));
        assert.match(error.message, /^template deb\/x\.j2: line \d+: ./);
        return true;
      }),
    );
  }
});

const missing = spawnSync('python3', ['-c', 'import jinja2']).status === 0 ? false : 'needs python3-jinja2';

test('the golden texts are those of the Jinja that is installed', { skip: missing }, () => {
  const answers = JSON.parse(execFileSync('python3', [`${SUPPORT}jinja.py`, GOLDEN]).toString()) as unknown[];
  golden.forEach(([template, text], at) => {
    assert.equal(answers[at], text, template);
  });
});

describe('what Jinja does and we do not is refused, never rendered otherwise', () => {
  const cases: [template: string, message: RegExp][] = [
    ['a\n{{ [1] | map("upper") }}\n', /line 2: .*printed: add "\| list"/],
    ['{{ range }}', /line 1: the function "range" is printed, which has no text/],
    ['{{ namespace(a=1) }}', /a namespace is printed/],
    ['\n\n{{ "a".encode() }}', /line 3: "encode" of str is not supported/],
    ['{{ 5 .bit_length() }}', /"bit_length" of int is not supported/],
    ['{{ 2 ** 60 }}', /a whole number is larger than 2\^53/],
    ['{{ 2 ** -1 }}', /a whole number to a power below 0 is not supported/],
    ['{{ ("<" | e) + "<" }}', /"\+" does not take markup and str/],
    ['{{ ("<" | safe).upper() }}', /"upper" is looked up on what "safe" or "escape" made/],
    ['{{ {(1, 2): 3} }}', /tuple is no key here/],
    ['{{ "x" | striptags }}', /there is no filter "striptags"/],
    ['{{ "{0.name}".format(rows[0]) }}', /"\{0\.name\}" is not supported/],
    ['{{ "%a" % 1 }}', /"%a" is not supported/],
    ['{{ self.x }}', /"self" is not supported/],
    ['{% autoescape true %}{% endautoescape %}', /"autoescape" is not part of the template language/],
    ['{% block a %}{% endblock %}', /"block" is not part of the template language/],
    ['{{ [1][0:"a"] }}', /a slice needs whole numbers, not str/],
    ['{{ "a" is sameas "a" }}', /"sameas" is not supported for texts/],
    ['{% macro m() %}{{ nothing.x }}{% endmacro %}\n{{ m() }}', /line 1: "x" is looked up on what is not/],
    ['{% macro m() %}{% endmacro %}\n{{ m() ~ (1 +\n"a") }}', /line 2: "\+" does not take int and str/],
  ];
  for (const [template, message] of cases)
    test(title(template), async () => assert.rejects(render(template), { reason: 'bad-template', message }));
});

describe('texts are bounded before they are made', () => {
  const cases = [
    '{{ "x" * 100000000 }}',
    '{{ [0] * 100000000 }}',
    '{{ "x".ljust(100000000) }}',
    '{{ "%100000000d" % 1 }}',
    '{{ "{:100000000}".format(1) }}',
    '{{ "a".zfill(100000000) }}',
    '{{ "a" | center(100000000) }}',
    '{{ "a\nb" | indent(100000000) }}',
    '{% set ns = namespace(x="xxxx") %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}',
  ];
  for (const template of cases)
    test(title(template), async () => assert.rejects(render(template), /(more|longer) than 4194304/));

  test('what calls itself without end', async () => {
    await assert.rejects(render('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'), /nested too deeply/);
    await assert.rejects(render(`{{ ${'('.repeat(1000)}1${')'.repeat(1000)} }}`), /nested too deeply/);
    await assert.rejects(render(`{{ ${'-'.repeat(1000)}1 }}`), /nested too deeply/);
    await assert.rejects(render('{% if 1 %}'.repeat(500) + '{% endif %}'.repeat(500)), /nested too deeply/);
    await assert.rejects(render('{% set l = [] %}{{ l.append(l) }}{{ l }}'), /nested too deeply/);
  });

  test('long chains of operators', async () => {
    assert.equal(await render(`{{ ${'1 + '.repeat(150)}1 }}`), '151');
    await assert.rejects(render(`{{ ${'1 + '.repeat(100_000)}1 }}`), /nested too deeply/);
  });
});
