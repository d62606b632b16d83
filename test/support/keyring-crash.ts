/** A program that renews an instance's keys again and again until it is killed: `keyring-crash.ts HOME`. */
import { keyringRenewal } from '../../workers/jobs/keyring.ts';
import { openRegistry } from './registry.ts';

const registry = openRegistry({ home: process.argv[2] ?? '' });
process.stdout.write('open\n');
for (let days = 1; ; days++) {
  const spec = { type: 'keyring-renewal', duration: String(days) } as const;
  await keyringRenewal(registry.context(spec), spec);
  process.stdout.write(`${days}\n`);
}
