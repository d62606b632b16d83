/** What a build environment is made from: the sources, keys and settings of apt, written out for mmdebstrap. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import type { TaskContext } from '../../context.ts';
import type { EnvironmentTarget } from '../format.ts';
import { copyAptSettings, keyringOf } from './apt-settings.ts';
import { type AptEntry, digestOf, readAptSources, renderSources, selectSources } from './apt-sources.ts';

/** Changes when roots are made differently, so that older tarballs are not used. */
const RECIPE = '1';
/** Beside what the variant `buildd` brings: dpkg-buildpackage runs rules as if it were root, apt reads https mirrors. */
export const PACKAGES = ['fakeroot', 'ca-certificates'] as const;
/** Run by mmdebstrap in the finished root: no service starts, names resolve, and nothing of the making stays. */
const FINISH = `set -e
cd "$1"
printf '#!/bin/sh\\nexit 101\\n' > usr/sbin/policy-rc.d; chmod 755 usr/sbin/policy-rc.d
printf '127.0.0.1 localhost build\\n::1 localhost build\\n' > etc/hosts; echo build > etc/hostname
rm -f etc/resolv.conf etc/apt/sources.list etc/apt/sources.list.d/* etc/apt/apt.conf.d/99mmdebstrap; : > etc/resolv.conf
mkdir -p build etc/apt/keyrings; chmod 755 build
echo force-unsafe-io > etc/dpkg/dpkg.cfg.d/rackwright; rm -f etc/dpkg/dpkg.cfg.d/99mmdebstrap`;

/** What a root is made from, written out for mmdebstrap. */
export interface Recipe {
  /** Folder with `outside.sources`, `inside.sources`, `keys/` and `apt.conf`. */
  readonly folder: string;
  /** Text of the sources as the root has them. */
  readonly inside: string;
  readonly keys: readonly string[];
  readonly digest: string;
}

/** Writes the recipe into `work`, an absent folder. Throws `no-environment` where no source or key is known for it. */
export async function writeRecipe(
  context: TaskContext,
  environment: EnvironmentTarget,
  work: string,
): Promise<Recipe> {
  const entries = await chooseSources(context, environment);
  const keys: string[] = [];
  const contents: Buffer[] = [];
  await mkdir(join(work, 'keys'), { recursive: true, mode: 0o755 });
  for (const [at, entry] of entries.entries()) {
    const key = await keyringOf(context, entry);
    if (key.length === 0) throw noSources(environment, 'no keyring is trusted for its sources');
    const name = `rackwright-${at}.${typeof key === 'string' ? 'asc' : 'gpg'}`;
    // An inline key is indented text with dots for empty lines, as deb822 has it.
    const bytes = typeof key === 'string' ? Buffer.from(key.replace(/^ (\.$)?/gm, '')) : key;
    await writeFile(join(work, 'keys', name), bytes, { mode: 0o644 });
    keys.push(name);
    contents.push(bytes);
  }
  const inside = renderSources(entries, (_entry, at) => `/etc/apt/keyrings/${keys[at]}`);
  const outside = renderSources(entries, (_entry, at) => join(work, 'keys', keys[at] ?? ''));
  await writeFile(join(work, 'inside.sources'), inside, { mode: 0o644 });
  await writeFile(join(work, 'outside.sources'), outside, { mode: 0o644 });
  const uris = entries.flatMap(entry => entry.uris);
  const lines = await copyAptSettings(context, join(work, 'apt'), join(work, 'apt'), uris);
  // Workspaces are closed to apt's own user, who would read the keys.
  lines.push('APT::Sandbox::User "root";');
  await writeFile(join(work, 'apt.conf'), `${lines.join('\n')}\n`, { mode: 0o600 });
  await writeFile(join(work, 'finish'), `#!/bin/sh\n${FINISH}\n`, { mode: 0o755 });
  const digest = digestOf(RECIPE, FINISH, PACKAGES.join(' '), environment.architecture, inside, ...contents);
  return { folder: work, inside, keys, digest };
}

/** The pipeline's mirror, else the settings', else what the machine itself uses. */
async function chooseSources(context: TaskContext, environment: EnvironmentTarget): Promise<AptEntry[]> {
  const { deb } = context.job.settings;
  const { pipeline } = environment;
  const mirror = pipeline.mirror ?? deb.mirror;
  const components = pipeline.components.length > 0 ? pipeline.components : deb.components;
  if (mirror !== null) {
    const wanted = components.length > 0 ? components : ['main'];
    return [
      { types: ['deb'], uris: [mirror], suites: [environment.environment], components: wanted, options: {} },
    ];
  }
  const codename = /^VERSION_CODENAME="?([^"\n]*)"?$/m.exec(
    await readFile('/etc/os-release', 'utf8').catch(() => ''),
  );
  const entries = selectSources(
    await readAptSources('/etc/apt'),
    environment.environment,
    codename?.[1] ?? '',
    components,
  );
  if (entries.length === 0) throw noSources(environment, "the machine's apt sources have none for it");
  return entries;
}

function noSources(environment: EnvironmentTarget, why: string): Fault {
  const { environment: name } = environment;
  return new Fault(
    'refused',
    'no-environment',
    `environment ${name} cannot be made: ${why}; set a mirror for it in the instance's file`,
    { environment: name },
  );
}
