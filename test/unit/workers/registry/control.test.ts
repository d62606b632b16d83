/** Control files: strict enough that no package can forge an index entry. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { get, readStanza, renderStanza } from '../../../../workers/registry/control.ts';

const read = (text: string) => readStanza(Buffer.from(text), 'control');

describe('a control file', () => {
  test('is read with its continuation lines, fields in any case', () => {
    const stanza = read('Package: hello\nDescription: greets\n Long text.\n .\n More.\nX-Empty:\n');
    assert.equal(get(stanza, 'package'), 'hello');
    assert.equal(get(stanza, 'Description'), 'greets\n Long text.\n .\n More.');
    assert.equal(get(stanza, 'X-Empty'), '');
  });

  test('may hold separators of Unicode, which end no line', () => {
    const stanza = read('Package: a\nDescription: one\u2028Version: 2\n more\u2029Version: 3\nVersion: 1\n');
    assert.equal(get(stanza, 'Description'), 'one\u2028Version: 2\n more\u2029Version: 3');
    assert.equal(get(stanza, 'Version'), '1');
  });

  test('is refused when it repeats a field, begins with a continuation, or begins a second stanza', () => {
    const bad: Record<string, string> = {
      'a repeated field': 'Package: a\nVersion: 1\npackage: b\n',
      'a continuation first': ' Package: a\n',
      'a blank line in between': 'Package: a\n\nPackage: evil\nVersion: 9\n',
      'a line of blanks': 'Package: a\n \nPackage: evil\n',
      'a carriage return': 'Package: a\r\rPackage: evil\n',
      'a NUL': 'Package: a\0\n',
      'a line without colon': 'Package: a\nnonsense\n',
      'a field that begins with a dash': 'Package: a\n-Field: b\n',
    };
    for (const [what, text] of Object.entries(bad)) {
      assert.throws(() => read(text), { reason: 'bad-package' }, what);
    }
    assert.throws(() => readStanza(Buffer.from([0x50, 0x3a, 0xff, 0xfe]), 'control'), {
      reason: 'bad-package',
    });
  });

  test('is rendered with our fields in place of its own', () => {
    const stanza = read('Version: 1\nPackage: a\nfilename: /etc/passwd\nSHA256: 00\nDescription: x\n y\n');
    const text = renderStanza([['Package', 'a']], stanza, [
      ['Filename', 'pool/a.deb'],
      ['SHA256', 'ff'],
    ]);
    assert.equal(text, 'Package: a\nVersion: 1\nDescription: x\n y\nFilename: pool/a.deb\nSHA256: ff\n');
  });
});
