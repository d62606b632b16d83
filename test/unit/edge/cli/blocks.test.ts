/** Blocks as people and their scripts know them. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Task } from '../../../../edge/cli/api.ts';
import { showArtifact, showKeyring, showSpan, showTask, showTime } from '../../../../edge/cli/blocks.ts';

before(() => {
  process.env.TZ = 'Europe/Paris';
});

const task: Task = {
  id: '5d0c2a5e-9c1f-4e0b-8a77-3f1f2f8f7a10',
  user: 'jane',
  name: 'artifact build',
  state: 'running',
  result: 'unknown',
  place: '/w/5d0c',
  submission: 1_767_225_600,
  io: { console: '/w/5d0c/console.sock', interactive: false, journal: { path: '/w/5d0c/task.journal' } },
  format: 'deb',
  distribution: 'bookworm',
  derivative: 'main',
  architectures: ['x86_64', 'aarch64'],
  artifact: 'hello',
  author: 'Jane Roe',
  email: 'jane@example.org',
  message: 'First build',
  archives: [],
};

test('a build is shown with the documented lines in the documented order', () => {
  assert.equal(
    showTask(task),
    `- id: 5d0c2a5e-9c1f-4e0b-8a77-3f1f2f8f7a10
  user: jane
  name: artifact build
  state: running
  result: unknown
  place: /w/5d0c
  submission:  2026-01-01 01:00:00
  io:
    interactive: False
    console: /w/5d0c/console.sock
    journal: /w/5d0c/task.journal
  archives: ∅
  author: Jane Roe
  email: jane@example.org
  distribution: bookworm
  architectures: x86_64, aarch64
  derivative: main
  format: deb
  artifact: hello
  message: First build
`,
  );
});

test('archives are blocks of id and path', () => {
  const shown = showTask({ ...task, archives: [{ id: 'hello', path: '/w/hello-2.10.tar.gz' }] });
  assert.match(shown, /\n {2}archives:\n {2}- id: hello\n {4}path: \/w\/hello-2\.10\.tar\.gz\n {2}author/);
});

test('a deletion names its artifact whole, and a message of several lines stays within its block', () => {
  const deleted = { architecture: 'src', name: 'hello', version: '2.10-1', size: 0 };
  assert.match(showTask({ ...task, artifact: deleted }), /\n {2}artifact: hello 2\.10-1 \(src\)\n/);
  assert.match(showTask({ ...task, message: 'One\nTwo\n' }), /\n {2}message: One\n {4}Two\n$/);
});

test('an artifact is a block of four lines', () => {
  assert.equal(
    showArtifact({ name: 'hello', architecture: 'x86_64', version: '2.10-1.deb12', size: 26 }),
    '- name: hello\n  architecture: x86_64\n  version: 2.10-1.deb12\n  size: 26\n',
  );
});

test('a key that never expires says so', () => {
  const key = { id: 'A1', fingerprint: 'F1', algorithm: 'rsa4096', created: 1_767_225_600, expires: 0 };
  const shown = showKeyring({
    userid: 'Ops <ops@example.org>',
    updated: 0,
    master: key,
    subkey: { ...key, fingerprint: 'F2' },
  });
  assert.match(
    shown,
    /^userid: Ops <ops@example\.org>\nid: A1\nfingerprint: F1\nalgorithm: rsa4096\nexpiry: never\n/,
  );
  assert.match(shown, /creation: 2026-01-01 01:00:00\nlast update: unknown\nsubkey:\n {2}fingerprint: F2\n/);
});

test('times are local, spans short', () => {
  assert.equal(showTime(1_751_364_000), '2025-07-01 12:00:00');
  assert.deepEqual([7.31, 65, 3725].map(showSpan), ['7.3s', '1m05s', '1h02m']);
});
