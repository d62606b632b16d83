/** Settings that files bring along and that change nothing here: whoever set one is told so. */
import type { Loaded } from '../systemd/settings.ts';
import type { DaemonSchema } from './config.ts';

const NO_RPM = 'this version builds no rpm packages';

const IDLE: readonly (readonly [section: string, key: string, why: string])[] = [
  ['images', 'defs', 'how images are made is built in'],
  ['images', 'create_cmd', 'how images are made is built in'],
  ['registry', 'conf', 'how registries are written is built in'],
  ['keyring', 'seeder', "keys are made from the kernel's own random numbers"],
  ['format:rpm', 'env_default_repos', NO_RPM],
  ['format:rpm', 'env_default_modules', NO_RPM],
  ['format:rpm', 'prescript_deps', NO_RPM],
  ['format:osi', 'builder', 'this version builds no images of operating systems'],
];

/** A line for each such key that a file sets: file, line, key and why. */
export function idleSettings({ origin }: Pick<Loaded<DaemonSchema>, 'origin'>): string[] {
  return IDLE.filter(([section, key]) => origin(section, key) !== 'default').map(
    ([section, key, why]) => `${origin(section, key)}: [${section}]>${key}: has no effect here: ${why}`,
  );
}
