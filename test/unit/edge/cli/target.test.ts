/** Which server a command talks to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../../edge/cli/exit.ts';
import { chooseUri, parseTarget } from '../../../../edge/cli/target.ts';

test('the option wins over both variables, ours over the old one, those over the preference, that over the default', () => {
  const env = { RACKWRIGHT_URI: 'http://ours', FATBUILDR_URI: 'http://old' };
  assert.equal(chooseUri({ option: 'http://option', env, preference: 'http://pref' }), 'http://option');
  assert.equal(chooseUri({ option: undefined, env, preference: 'http://pref' }), 'http://ours');
  const old = { RACKWRIGHT_URI: '', FATBUILDR_URI: 'http://old' };
  assert.equal(chooseUri({ option: undefined, env: old, preference: 'http://pref' }), 'http://old');
  assert.equal(chooseUri({ option: undefined, env: {}, preference: 'http://pref' }), 'http://pref');
  assert.equal(
    chooseUri({ option: undefined, env: {}, preference: null }),
    'unix:/run/rackwright/control.sock',
  );
});

test('a socket is given by unix:, by unix://, or by its path alone, the instance behind #', () => {
  const at = (uri: string, instance?: string) => {
    const target = parseTarget(uri, '/srv', instance);
    return target.kind === 'socket' ? [target.path, target.instance] : [];
  };
  assert.deepEqual(at('unix:/run/a.sock'), ['/run/a.sock', 'default']);
  assert.deepEqual(at('unix:///run/a.sock'), ['/run/a.sock', 'default']);
  assert.deepEqual(at('/run/a.sock#site'), ['/run/a.sock', 'site']);
  assert.deepEqual(at('site/run/control.sock'), ['/srv/site/run/control.sock', 'default']);
  assert.deepEqual(at('/run/a.sock#site', 'other'), ['/run/a.sock', 'other']);
});

test("the old command line's address of the local service means our local daemon", () => {
  const target = parseTarget('dbus://system/site', '/');
  assert.deepEqual(target, {
    kind: 'socket',
    uri: 'dbus://system/site',
    path: '/run/rackwright/control.sock',
    instance: 'site',
  });
});

test('an address loses its final slashes but is remembered as typed, since tokens are kept by it', () => {
  assert.deepEqual(parseTarget('https://build.example.org:5000/site//', '/'), {
    kind: 'http',
    uri: 'https://build.example.org:5000/site//',
    base: 'https://build.example.org:5000/site',
    complete: true,
  });
});

test('an address without a path leaves the instance open, --instance closes it', () => {
  const open = parseTarget('http://127.0.0.1:5000/', '/');
  assert.ok(open.kind === 'http' && !open.complete && open.base === 'http://127.0.0.1:5000');
  const closed = parseTarget('http://127.0.0.1:5000', '/', 'site');
  assert.ok(closed.kind === 'http' && closed.complete && closed.base === 'http://127.0.0.1:5000/site');
});

test('what is neither a socket nor an address is a usage error that names it', () => {
  for (const uri of ['ftp://build/x', 'unix:', 'http://', '#site', '/run/a.sock#no/name']) {
    assert.throws(
      () => parseTarget(uri, '/'),
      (error: unknown) => error instanceof UsageError,
      uri,
    );
  }
  assert.throws(() => parseTarget('/run/a.sock', '/', '../x'), /"..\/x" is not the name of an instance/);
});
