import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../../proto/fault.ts';
import { TemplateRenderer } from '../../../workers/source/templates.ts';

const renderer = new TemplateRenderer(new AbortController().signal);
after(() => renderer.close());

const version = {
  main: '2.11~rc1',
  major: 2,
  release: '1',
  dist: 'deb12',
  build: -1,
  full: '2.11~rc1-1.deb12',
};
const context = {
  version,
  rows: [
    { name: 'b', size: 2 },
    { name: 'a', size: 1 },
  ],
  nested: { inner: { deep: 'x' } },
};

const render = (template: string): Promise<string> => renderer.render('deb/x.j2', template, context);

async function refused(template: string, message: RegExp): Promise<void> {
  await assert.rejects(render(template), (error: Fault) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.reason, 'bad-template');
    assert.match(error.message, /^template deb\/x\.j2: /);
    assert.match(error.message, message);
    return true;
  });
}

describe('existing templates render as Jinja does', () => {
  const cases: [string, string][] = [
    ['{{ version.main }}-{{ version.release }}\n', '2.11~rc1-1\n'],
    ['{{ version.main | gittag }} {{ "1.0-rc" | rpm_version }}', '2.11-rc1 1.0~rc'],
    [
      '{{ 949536000 | timestamp_rpmdate }}, {{ 949536000 | timestamp_iso }}',
      'Thu Feb 03 2000, 2000-02-03 00:00:00',
    ],
    ['a\n  {% if version.major == 2 %}\nb\n  {% endif %}\nc\n', 'a\nb\nc\n'],
    [
      '{% for row in rows | sort(attribute="name") %}{{ loop.index }}{{ row.name }}{% if not loop.last %}, {% endif %}{% endfor %}',
      '1a, 2b',
    ],
    ['{{ version.main.split("~")[0] }} {{ version.main.rsplit(".", 1) | join("/") }}', '2.11 2/11~rc1'],
    ['{{ version.main.replace("1", "0") }} {{ "x.y.z".replace(".", "-", 1) }}', '2.00~rc0 x-y.z'],
    ['{{ version.main.startswith("2.") }} {{ version.main.endswith(("a", "rc1")) }}', 'True True'],
    ['{{ "  A b ".strip().lower() }}|{{ "ab".upper() }}|{{ "-".join(["a", "b"]) }}', 'a b|AB|a-b'],
    [
      '{{ version.main[0:4] }} {{ [1, 2, 3][1:] | join(",") }} {{ "abc"[-1] }} {{ "abc"[::-1] }}',
      '2.11 2,3 c cba',
    ],
    ['{% for key, value in nested.inner.items() %}{{ key }}={{ value }}{% endfor %}', 'deep=x'],
    ['{{ rows | map(attribute="size") | join("+") }} {{ rows | sum(attribute="size") }}', '2+1 3'],
    ['{{ nothing }}|{{ nothing | default("d") }}|{{ "y" if version.build < 0 else "n" }}', '|d|y'],
    ['{% macro m(a, b="2") %}[{{ a }}{{ b }}]{% endmacro %}{{ m("1") }}{{ m("1", b="3") }}', '[12][13]'],
    [
      '{% set x = "s" %}{{ x }}{% set y %}t{% endset %}{{ y }}{# comment #}{% raw %}{{ x }}{% endraw %}',
      'st{{ x }}',
    ],
    [
      '{{ "a" in "abc" }} {{ 3 in [1, 2] }} {{ version.dist is defined }} {{ True and not False }}',
      'True False True True',
    ],
    ['{{ "<&>" }}', '<&>'],
    ['no template at all, $x $(y) %s\n', 'no template at all, $x $(y) %s\n'],
  ];
  for (const [template, expected] of cases) {
    test(template.slice(0, 70).replaceAll('\n', ' '), async () =>
      assert.equal(await render(template), expected),
    );
  }
});

describe('templates can not escape', () => {
  const attempts: string[] = [
    '{{ version.constructor }}',
    '{{ version["constructor"] }}',
    '{{ version["const" ~ "ructor"]["prototype"] }}',
    '{{ "x"["constr" ~ "uctor"]("return process")() }}',
    '{{ range["constr" ~ "uctor"]("return process")() }}',
    '{{ constructor }}',
    '{{ ({}).__proto__ }}',
    '{{ version.__proto__.x }}',
    '{{ valueOf() }}',
    '{{ __defineGetter__("a", range) }}',
    '{{ toString.call(1) }}',
    '{{ hasOwnProperty("x") }}',
    '{{ env.opts }}{{ context.env.globals.x() }}',
    '{{ process.env.HOME }}',
    '{{ global.process.exit() }}',
    '{{ require("child_process").execSync("id") }}',
    '{{ import("fs").x }}',
    '{{ rows.concat.constructor("x")() }}',
    '{{ cycler.constructor("return this")() }}',
    '{% macro m() %}{% endmacro %}{{ m["constr" ~ "uctor"]("return 1")() }}',
    '{{ rows | map(attribute="constructor.constructor") | join }}{{ x.y }}',
    '{{ rows | sort(attribute="__proto__.x") }}{{ x.y }}',
    '{{ "x" | constructor }}',
    '{{ "x" | __defineGetter__ }}',
    '{{ 1 is hasOwnProperty }}',
    '{{ 1 is "defined\\").x(\\"" }}',
    '{% include "/etc/passwd" %}',
    '{% import "x" as y %}',
    '{% from "x" import y %}',
    '{% extends "/etc/passwd" %}',
    '{% block a %}{% endblock %}{{ super() }}',
    '{% asyncEach x in y %}{% endeach %}',
    '{% set a";process.exit();" = 1 %}',
    '{% set "a\\";process.exit();//" = 1 %}',
    '{% for "a\\";x()//", b in rows %}{% endfor %}',
    '{% macro m(a=1;process.exit()) %}{% endmacro %}',
    '{% macro x`y`() %}{% endmacro %}',
    '{{ a`b` }}',
    '{{ r/(a+)+$/g }}',
    '{{ range(0, 3).constructor }}',
  ];
  for (const template of attempts) {
    test(template, async () => {
      await assert.rejects(
        render(template),
        (error: Fault) => error instanceof Fault && error.reason === 'bad-template',
      );
      assert.equal(await render('{{ version.release }}'), '1', 'the renderer serves on');
    });
  }

  test('text that breaks out of the generated code when it is called by name', async () => {
    for (const text of ['\\"];process.exit(3);["', '\\\\\\");process.exit(3);//', '\u2028process.exit(3)']) {
      await refused(`{{ nested["${text}"]() }}`, /./);
    }
    assert.equal(await render('{{ "\\"+process.exit(3)+\\"" }}'), '"+process.exit(3)+"');
  });

  test('what is harmless though it looks alike renders', async () => {
    assert.equal(
      await render('{{ version.toString }}|{{ version.hasOwnProperty }}|{{ rows.length }}|{{ "x".length }}'),
      '|||',
    );
  });
});

describe('templates are bounded', () => {
  test('time', async () => {
    await refused(
      '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
      /takes longer than 1 s|memory/,
    );
    assert.equal(await render('after'), 'after');
  });

  test('time that a busy machine gives to others is not counted', async () => {
    assert.equal(await render('before'), 'before');
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim();
    const child = children
      .split(' ')
      .map(Number)
      .find(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('rendering.ts'));
    assert.ok(child);
    process.kill(child, 'SIGSTOP');
    const pending = render('after');
    await sleep(1500);
    process.kill(child, 'SIGCONT');
    assert.equal(await pending, 'after');
  });

  test('memory', async () => {
    await refused('{% set l = [] %}{% for a in range(100000000) %}{% endfor %}', /memory|1 s/);
    assert.equal(await render('after'), 'after');
  });

  test('output', async () => {
    await refused(
      '{% for a in range(50000) %}{{ "0123456789" * 1 }}aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjjjjjjj{% endfor %}',
      /gives more than 4194304 bytes/,
    );
  });

  test('syntax faults name the line', async () => {
    await refused('a\nb\n{% if %}\n', /line 3/);
    await refused('a\n{{ version.nothing.more }}\n', /"more" is looked up on what is not defined/);
  });

  test('an aborted task ends the renderer', async () => {
    const abort = new AbortController();
    const other = new TemplateRenderer(abort.signal);
    assert.equal(await other.render('x', 'y', {}), 'y');
    const pending = other.render(
      'x',
      '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
      {},
    );
    abort.abort(new Fault('cancelled', 'cancelled', 'cancelled by jane'));
    await assert.rejects(pending, (error: Fault) => error.reason === 'cancelled');
  });
});

describe('the renderer starts where it is installed', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const home = mkdtempSync(join(tmpdir(), 'rackwright-renderer-'));
  after(() => rmSync(home, { recursive: true, force: true }));

  /** Renders with a copy of the program in a folder of its own, that lacks a file. */
  async function renderIn(folder: string, lacks = ''): Promise<string> {
    for (const part of ['proto', 'workers', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    if (lacks !== '') rmSync(join(folder, lacks));
    const copy = (await import(join(folder, 'workers/source/templates.ts'))) as {
      TemplateRenderer: typeof TemplateRenderer;
    };
    const own = new copy.TemplateRenderer(new AbortController().signal);
    try {
      return await own.render('deb/x.j2', '{{ version.main }}', context);
    } finally {
      own.close();
    }
  }

  test('without any package', async () => {
    assert.equal(await renderIn(mkdtempSync(join(home, 'bare-'))), '2.11~rc1');
  });

  test('or says what is missing, and blames no template', async () => {
    const folder = mkdtempSync(join(home, 'broken-'));
    await assert.rejects(renderIn(folder, 'workers/source/jinja/machine.ts'), {
      kind: 'internal',
      message: /^the template renderer did not start: .*machine\.ts/,
    });
  });
});
