/** The agent's policy: actions in both vocabularies, roles from the JWT's user and groups. */
import { readFileSync } from 'node:fs';
import { type Policy, readPolicy, type Subject } from '../../proto/policy.ts';
import { parseIni, type SettingFault } from '../../systemd/ini.ts';
import { SettingsError } from '../../systemd/settings.ts';

/** What has two names: `view-X` of the documents is `X-view` of newer frontends. */
const VIEWS = ['stats', 'jobs', 'nodes', 'partitions', 'qos', 'accounts', 'reservations'] as const;
const SINGLE = [
  'associations-view',
  'cache-view',
  'cache-reset',
  'jobs-view-own',
  'jobs-view-past',
  'jobs-view-past-own',
] as const;

export type AgentAction = `view-${(typeof VIEWS)[number]}` | (typeof SINGLE)[number];

/** The roles in force where a site has no file: everybody sees the cluster at work, who signed in sees all. */
const VENDOR = `[roles]
anonymous
user=ALL
[anonymous]
actions=view-stats,view-jobs,view-nodes
[user]
actions=@anonymous,view-partitions,view-qos,view-accounts,view-reservations,associations-view,jobs-view-past,cache-view,cache-reset
`;

/** The one spelling that we compare by; null for a word that is no action. */
export function canonicalAction(action: string): AgentAction | null {
  const single = SINGLE.find(name => name === action);
  if (single) return single;
  const view = VIEWS.find(name => action === `view-${name}` || action === `${name}-view`);
  return view ? `view-${view}` : null;
}

/** Both names of each action, sorted: old and new frontends look for their own. */
export function bothVocabularies(actions: readonly string[]): string[] {
  const all = actions.flatMap(action => {
    const view = /^view-(.+)$/.exec(action)?.[1];
    return view === undefined ? [action] : [action, `${view}-view`];
  });
  return [...new Set(all)].sort();
}

/** Reads the site's file, else the vendor's, else what is built in. Throws one SettingsError with every fault. */
export function loadAgentPolicy(paths: {
  readonly roles: string;
  readonly vendor_roles: string | null;
}): Policy {
  const found = read(paths.roles) ?? (paths.vendor_roles === null ? null : read(paths.vendor_roles));
  const { file, text } = found ?? { file: 'built-in roles', text: VENDOR };
  const ini = parseIni(text, file);
  const { policy, faults } = readPolicy(ini, {
    canonical: canonicalAction,
    anonymousForAll: false,
    sectionsRequired: true,
  });
  const all: SettingFault[] = [...ini.faults, ...faults];
  if (!policy || all.length > 0) throw new SettingsError(all);
  return policy;
}

/** The policy of the moment, for those who keep one: a reload may bring another. */
export function currentPolicy(now: () => Policy): Policy {
  return {
    rolesOf: subject => now().rolesOf(subject),
    actionsOf: subject => now().actionsOf(subject),
    permits: (subject, action) => now().permits(subject, action),
    get groups() {
      return now().groups;
    },
  };
}

function read(file: string): { file: string; text: string } | null {
  try {
    return { file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    throw new SettingsError([{ file, line: 0, section: '', key: '', message: `can't be read (${code})` }]);
  }
}

/** Somebody as the policy sees them; groups are those of the token. */
export function subjectOf(login: string, groups: readonly string[]): Subject {
  return { login: login === 'anonymous' ? null : login, inGroup: name => groups.includes(name) };
}

/** The words in which a refusal is told. */
export function refusalText(login: string, action: string): string {
  return login === 'anonymous'
    ? `Anonymous role is not allowed to perform action ${action}`
    : `user ${login} is not allowed to perform action ${action}`;
}
