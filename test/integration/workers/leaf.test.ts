/** The daemon's own leaf in a real hierarchy of version 2, as a delegated service has it. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const mount =
  /^\d+ \d+ \S+ \/ (\S+) .* - cgroup2 /m.exec(readFileSync('/proc/self/mountinfo', 'utf8'))?.[1] ?? '';
const controller = mount === '' ? '' : (read(join(mount, 'cgroup.controllers')).split(' ')[0] ?? '');
const skip =
  process.getuid?.() !== 0
    ? 'needs root, to hand a group over'
    : controller === ''
      ? 'this machine has no hierarchy of version 2 with a controller'
      : false;
const group = join(mount, `rackwright-leaf-test-${process.pid}`);
let wasEnabled = true;

function read(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

before(() => {
  if (skip) return;
  const enabled = join(mount, 'cgroup.subtree_control');
  wasEnabled = read(enabled).split(' ').includes(controller);
  appendFileSync(enabled, `+${controller}`);
  mkdirSync(group);
});
after(() => {
  if (skip) return;
  for (const folder of [join(group, 'daemon'), group]) rmdirSync(folder);
  if (!wasEnabled) appendFileSync(join(mount, 'cgroup.subtree_control'), `-${controller}`);
});

/** Runs a module's text in a process of its own, alone in the group but for `others`; its output. */
function inGroup(text: string, others = ''): Promise<string> {
  const enter = `echo 0 >'${group}/cgroup.procs'; ${others} exec "$@"`;
  const node = [process.execPath, '--input-type=module-typescript', '--eval', text];
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', enter, 'sh', ...node], { cwd: ROOT }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout.trim()),
    );
  });
}

const ENABLE = `
import { appendFileSync, readFileSync } from 'node:fs';
const enable = () => {
  try { appendFileSync('${group}/cgroup.subtree_control', '+${controller}'); return 'enabled'; }
  catch (error) { return error.code; }
};`;

test('a service that moved into its leaf may have groups with controllers beside it', { skip }, async () => {
  assert.equal(await inGroup(`${ENABLE} console.log(enable())`), 'EBUSY', 'that is what the leaf is for');
  const told = await inGroup(`${ENABLE}
    const { enterLeaf } = await import('./systemd/leaf.ts');
    const { hierarchies } = await import('./workers/sandbox/cgroup.ts');
    const leaf = enterLeaf();
    const again = enterLeaf();
    const asked = [];
    const text = name => readFileSync('/proc/self/' + name, 'utf8');
    hierarchies(text('mountinfo'), text('cgroup'), (version, parent) => { if (version === 2) asked.push(parent); return null; });
    console.log(JSON.stringify({ leaf, again, enabled: enable(), asked, own: text('cgroup') }));
  `);
  const { leaf, again, enabled, asked, own } = JSON.parse(told);
  assert.equal(leaf, join(group, 'daemon'));
  assert.equal(again, leaf);
  assert.equal(enabled, 'enabled');
  assert.deepEqual(asked, [group], 'where tasks get their groups');
  assert.match(own, new RegExp(`^0::.*/${basename(group)}/daemon$`, 'm'));
  // What is beside it can be limited.
  const task = join(group, 'task');
  mkdirSync(task);
  assert.ok(read(join(task, 'cgroup.controllers')).split(' ').includes(controller));
  rmdirSync(task);
  appendFileSync(join(group, 'cgroup.subtree_control'), `-${controller}`);
});

test('both processes of the foreground sit in the leaf of a scope that was handed over', {
  skip,
}, async () => {
  const home = mkdtempSync(join(tmpdir(), 'rackwright-leaf-'));
  const enter = `echo 0 >'${group}/cgroup.procs'; exec "$@"`;
  const up = [process.execPath, join(ROOT, 'edge/cli/main.ts'), 'up', '--home', home, '--port', '0'];
  const child = spawn('sh', ['-c', enter, 'sh', ...up], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('ready ')) break;
    assert.equal(read(join(group, 'cgroup.procs')), '');
    assert.ok(read(join(group, 'daemon/cgroup.procs')).split('\n').length >= 3);
  } finally {
    child.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
});

test('whoever shares its group is left alone, and so is the root', { skip }, async () => {
  const call = "const { enterLeaf } = await import('./systemd/leaf.ts'); console.log(enterLeaf());";
  assert.equal(await inGroup(call, 'sleep 600 & sleeper=$!; "$@"; kill $sleeper; exit;'), 'null');
  const outside = await new Promise(resolve => {
    const enter = `echo 0 >'${dirname(group)}/cgroup.procs'; exec "$@"`;
    const node = [process.execPath, '--input-type=module-typescript', '--eval', call];
    execFile('sh', ['-c', enter, 'sh', ...node], { cwd: ROOT }, (_error, stdout) => resolve(stdout.trim()));
  });
  assert.equal(outside, 'null');
});
