/**
 * Who may do what: roles with members and actions, out of an INI file. One model for the build service and for cluster
 * agents; only the vocabulary of actions and two rules differ.
 */

/** An INI file that was parsed already, as `systemd/ini.ts` gives it. */
export interface PolicyFile {
  readonly file: string;
  readonly sections: ReadonlyMap<
    string,
    ReadonlyMap<string, { readonly text: string; readonly line: number }>
  >;
}

export interface PolicyFault {
  readonly file: string;
  readonly line: number;
  readonly section: string;
  readonly key: string;
  readonly message: string;
}

export interface PolicyRules {
  /** The one spelling of an action; null for a word that is no action. */
  readonly canonical: (action: string) => string | null;
  /** Whether the actions of `anonymous` are everybody's; otherwise only those without a login have them. */
  readonly anonymousForAll: boolean;
  /** Whether a role must have a section; otherwise one without allows nothing. */
  readonly sectionsRequired: boolean;
}

/** Somebody who calls; `login` is null for whoever sent no credential. */
export interface Subject {
  readonly login: string | null;
  inGroup(name: string): boolean;
}

export interface Policy {
  /** Names of the roles that the subject has, sorted. */
  rolesOf(subject: Subject): readonly string[];
  /** Canonical actions that the subject may perform, sorted. */
  actionsOf(subject: Subject): readonly string[];
  permits(subject: Subject, action: string): boolean;
  /** Groups that members name: for a warning about those that are unknown. */
  readonly groups: readonly string[];
}

interface Role {
  readonly name: string;
  /** Logins, groups as `@name`, `ALL`. */
  readonly members: readonly string[];
  readonly actions: ReadonlySet<string>;
}

/** The role of those who sent no credential. */
const ANONYMOUS = 'anonymous';
/** Everybody who has a login. */
const ALL = 'ALL';
const MAX_ROLES = 1000;

/**
 * Reads a policy whole: `[roles]` has a line a role, `name = member, @group, …`, the bare `anonymous` enables that role;
 * a section a role has `actions = action, @role, …`. Role names ignore case; blanks are trimmed. The policy is null
 * exactly when there are faults.
 */
export function readPolicy(
  ini: PolicyFile,
  rules: PolicyRules,
): { readonly policy: Policy | null; readonly faults: readonly PolicyFault[] } {
  const faults: PolicyFault[] = [];
  const fault = (section: string, key: string, line: number, message: string): void => {
    faults.push({ file: ini.file, line, section, key, message });
  };
  const declared = ini.sections.get('roles');
  if (!declared) fault('roles', '', 0, 'the section is missing');
  const sections = new Map<
    string,
    { name: string; keys: ReadonlyMap<string, { text: string; line: number }> }
  >();
  for (const [name, keys] of ini.sections) {
    if (name !== 'roles') sections.set(name.toLowerCase(), { name, keys });
  }
  const members = new Map<string, readonly string[]>();
  for (const [key, { text, line }] of declared ?? []) {
    const name = key.toLowerCase();
    if (name === ANONYMOUS && text !== '') fault('roles', key, line, 'the anonymous role has no members');
    if (members.size >= MAX_ROLES) fault('roles', key, line, `more than ${MAX_ROLES} roles`);
    members.set(name, words(text));
    if (rules.sectionsRequired && !sections.has(name))
      fault('roles', key, line, `the section [${key}] is missing`);
  }
  for (const [name, section] of sections) {
    if (!members.has(name)) fault(section.name, '', 0, 'is no role of [roles]');
    for (const [key, { line }] of section.keys) {
      if (key !== 'actions') fault(section.name, key, line, 'unknown key; a role has "actions"');
    }
  }
  const resolve = resolver(sections, members, rules, fault);
  const roles = [...members].map(([name, list]): Role => ({ name, members: list, actions: resolve(name) }));
  return faults.length > 0 ? { policy: null, faults } : { policy: makePolicy(roles, rules), faults };
}

type Sections = ReadonlyMap<
  string,
  { name: string; keys: ReadonlyMap<string, { text: string; line: number }> }
>;

/** Actions of a role with those of the roles it includes, in whatever order they stand. */
function resolver(
  sections: Sections,
  members: ReadonlyMap<string, unknown>,
  rules: PolicyRules,
  fault: (section: string, key: string, line: number, message: string) => void,
): (role: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  const open: string[] = [];
  const resolve = (role: string): ReadonlySet<string> => {
    const ready = known.get(role);
    if (ready) return ready;
    const actions = new Set<string>();
    const section = sections.get(role);
    const value = section?.keys.get('actions');
    open.push(role);
    for (const word of words(value?.text ?? '')) {
      const refuse = (message: string): void =>
        fault(section?.name ?? role, 'actions', value?.line ?? 0, message);
      if (word.startsWith('@')) {
        const included = word.slice(1).toLowerCase();
        if (!members.has(included)) refuse(`includes the unknown role ${word.slice(1)}`);
        else if (open.includes(included)) refuse(`includes itself: ${[...open, included].join(', ')}`);
        else for (const action of resolve(included)) actions.add(action);
        continue;
      }
      const action = rules.canonical(word);
      if (action === null) refuse(`unknown action ${word}`);
      else actions.add(action);
    }
    open.pop();
    known.set(role, actions);
    return actions;
  };
  return resolve;
}

function makePolicy(roles: readonly Role[], rules: PolicyRules): Policy {
  const has = (role: Role, subject: Subject): boolean => {
    if (role.name === ANONYMOUS) return subject.login === null || rules.anonymousForAll;
    if (subject.login === null) return false;
    return role.members.some(
      member =>
        member === ALL ||
        (member.startsWith('@') ? subject.inGroup(member.slice(1)) : member === subject.login),
    );
  };
  const of = (subject: Subject): readonly Role[] => roles.filter(role => has(role, subject));
  return {
    rolesOf: subject =>
      of(subject)
        .map(role => role.name)
        .sort(),
    actionsOf: subject => [...new Set(of(subject).flatMap(role => [...role.actions]))].sort(),
    permits: (subject, action) => {
      const wanted = rules.canonical(action);
      return wanted !== null && of(subject).some(role => role.actions.has(wanted));
    },
    groups: [
      ...new Set(
        roles.flatMap(role => role.members.filter(member => member.startsWith('@')).map(at => at.slice(1))),
      ),
    ],
  };
}

function words(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map(word => word.trim())
    .filter(word => word !== '');
}
