import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import { isBuiltOn, parseControl } from '../../../workers/formats/deb/control.ts';
import { chainOf, namesIn } from '../../../workers/formats/deb/registry-source.ts';
import {
  debianDate,
  parseDebianChangelog,
  renderDebianChangelog,
  renderRpmChangelog,
} from '../../../workers/source/changelog.ts';
import { isFor, parseHeader } from '../../../workers/source/patches.ts';
import { parseRules } from '../../../workers/source/prescript.ts';
import { quote } from '../../../workers/source/tree.ts';

describe('changelogs', () => {
  const entries = [
    {
      author: 'Jane Roe <jane@example.org>',
      changes: ['Second build', '100% better', 'Rackwright task 1@Example'],
      date: 949_536_000,
      version: '2.10-1.deb12+build0',
    },
    { author: 'Zoë <z@example.org>', changes: ['First'], date: 0, version: '2.10-1.deb12' },
  ];

  test('Debian text is as deb-changelog has it, and reads back', () => {
    const text = renderDebianChangelog('hello', 'bookworm', entries);
    assert.match(
      text,
      /^hello \(2\.10-1\.deb12\+build0\) bookworm; urgency=medium\n\n {2}\* Second build\n {2}\* 100% better\n/,
    );
    assert.match(text, /\n -- Jane Roe <jane@example.org> {2}Thu, 03 Feb 2000 00:00:00 \+0000\n/);
    assert.deepEqual(parseDebianChangelog(text), entries);
  });

  test('an unreadable date is 0 and an unfinished entry is passed over', () => {
    const read = parseDebianChangelog(
      'x (1) y; urgency=low\n\n  - a\n    b\n\n -- A <a@b>  someday\n\nx (0) y; z=1\n  * lost\n',
    );
    assert.deepEqual(read, [{ author: 'A <a@b>', changes: ['a', 'b'], date: 0, version: '1' }]);
  });

  test('rpm text doubles every percent sign', () => {
    const text = renderRpmChangelog(entries);
    assert.match(
      text,
      /^%changelog\n\* Thu Feb 03 2000 Jane Roe <jane@example.org> 2\.10-1\.deb12\+build0\n- Second build\n- 100%% better\n/,
    );
    assert.equal(text.replaceAll('%%', '').match(/%/g)?.length, 1);
  });

  test('dates are UTC', () => assert.equal(debianDate(1_767_225_600), 'Thu, 01 Jan 2026 00:00:00 +0000'));
});

describe('patch headers', () => {
  const spec = { format: 'deb', distribution: 'bookworm' } as const;

  test('fields end where the patch begins', () => {
    const header = parseHeader(
      'Description: fix\n more of it\nFormats: deb rpm\nTemplate: yes\n\n--- a/x\n+++ b/x\nDistributions: none\n',
    );
    assert.deepEqual(
      [...header],
      [
        ['description', 'fix more of it'],
        ['formats', 'deb rpm'],
        ['template', 'yes'],
      ],
    );
  });

  test('a patch is for the formats and distributions that it names', () => {
    const selects = (text: string): boolean => isFor(parseHeader(text), spec);
    assert.ok(selects('Description: x\n'));
    assert.ok(selects('Formats: rpm deb\nDistributions: bookworm\n'));
    assert.ok(!selects('Formats: rpm\n'));
    assert.ok(!selects('Formats: deb\nDistributions: trixie bookworm-extra\n'));
  });
});

describe('prescript rules', () => {
  const spec = { format: 'rpm', distribution: 'el9' } as const;

  test('a matching distribution wins over a format, that over a plain line, in any order', () => {
    const plain = '#PRESCRIPT_DEPS plain\n';
    const format = '#PRESCRIPT_DEPS@formats:deb,rpm for-format\n';
    const distribution = '#PRESCRIPT_DEPS@distribution:el8,el9 for-dist module:python:39\n';
    const other = '#PRESCRIPT_DEPS@distributions:el7 other\n';
    assert.deepEqual(parseRules(distribution + other + format + plain, spec).dependencies, ['for-dist']);
    assert.deepEqual(parseRules(plain + distribution, spec).modules, ['python:39']);
    assert.deepEqual(parseRules(plain + format + other, spec).dependencies, ['for-format']);
    assert.deepEqual(parseRules(other + plain, spec).dependencies, ['plain']);
    assert.deepEqual(parseRules('#PRESCRIPT_DEPS first\n#PRESCRIPT_DEPS second\n', spec).dependencies, [
      'first',
    ]);
  });

  test('only comments at line start count, and names must be names', () => {
    assert.deepEqual(parseRules(' #PRESCRIPT_DEPS x\necho "#PRESCRIPT_DEPS y"\n', spec), {
      dependencies: [],
      modules: [],
      tarballs: [],
    });
    assert.throws(
      () => parseRules('#PRESCRIPT_DEPS a;id\n', spec),
      (error: Fault) => error.reason === 'prescript-failed',
    );
    for (const bad of ['/etc', '../x', 'a/../..', '.'])
      assert.throws(() => parseRules(`#PRESCRIPT_TARBALLS ${bad}\n`, spec), Fault);
    assert.deepEqual(parseRules('#PRESCRIPT_TARBALLS vendor/ third_party/js\n', spec).tarballs, [
      'vendor',
      'third_party/js',
    ]);
  });
});

describe('debian/control', () => {
  const good =
    'Source: xx\n# comment\nBuild-Depends: a (>= 1),\n b | c [amd64],\nBuild-Depends-Indep: d\n\nPackage: xx\nArchitecture: any\n\nPackage: x-doc\nArchitecture: all\n';

  test('dependencies and packages are read', () => {
    const control = parseControl(good, 'deb/control');
    assert.deepEqual(control.dependencies, { always: ['a (>= 1)', 'b | c [amd64]'], arch: [], indep: ['d'] });
    assert.deepEqual(
      control.packages.map(each => each.name),
      ['xx', 'x-doc'],
    );
    assert.deepEqual(namesIn(control.dependencies.always), ['a', 'b', 'c']);
  });

  test('R33: a field twice, a stray continuation, or a missing field is refused with its line', () => {
    const bad: [string, RegExp][] = [
      [
        good.replace('Architecture: all', 'Architecture: all\nPackage: y'),
        /:12: the field "Package" is there twice/,
      ],
      [` x\n${good}`, /:1: a continuation/],
      [good.replace('\nPackage: xx\n', '\n continued\nPackage: xx\n'), /:7: a continuation/],
      [good.replace('Architecture: any', 'nonsense'), /:8: is neither/],
      [good.replace('Architecture: any\n', ''), /has no "Architecture"/],
      [good.replace('Source: xx', 'Source: X y'), /no name for a source/],
      ['Source: xx\n', /names no package/],
      ['', /is empty/],
    ];
    for (const [text, expected] of bad) {
      assert.throws(
        () => parseControl(text, 'deb/control'),
        (error: Fault) => error.reason === 'bad-package' && expected.test(error.message),
        String(expected),
      );
    }
  });

  test('wildcards of architectures', () => {
    for (const word of ['any', 'amd64', 'linux-any', 'any-amd64'])
      assert.ok(isBuiltOn([word], 'amd64'), word);
    for (const word of ['all', 'arm64', 'hurd-any', 'any-arm64'])
      assert.ok(!isBuiltOn([word], 'amd64'), word);
    assert.ok(isBuiltOn(['all'], 'all') && !isBuiltOn(['any'], 'all'));
  });
});

test('derivatives form a chain from main upwards, and a circle ends', () => {
  assert.deepEqual(chainOf({ extra: 'main', full: 'extra' }, 'full'), ['main', 'extra', 'full']);
  assert.deepEqual(chainOf({}, 'main'), ['main']);
  assert.ok(chainOf({ a: 'b', b: 'a' }, 'a').length < 5);
});

test('a quoted word stays one word of the shell', () => assert.equal(quote("it's $(x)"), "'it'\\''s $(x)'"));
