/** `npm test [PATTERN...]`: every check and test, or the files whose path contains a pattern. */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const patterns = process.argv.slice(2);
const files = globSync('test/{conformance,unit,integration,e2e}/**/*.test.ts', { cwd: root })
  .filter(file => patterns.length === 0 || patterns.some(pattern => file.includes(pattern)))
  .sort();
if (files.length === 0) {
  process.stderr.write('no test file matches\n');
  process.exit(2);
}
// Two files at a time: most wait for real servers more than they compute. A hung file must not hang the run.
const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=1500000', '--test-reporter=spec', ...files],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
);
child.on('close', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
