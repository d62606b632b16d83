/** People and their groups in a directory: signing one in, listing all, by either group schema and Active Directory. */
import { DirectoryError, Ldap, type LdapEntry, type Trace } from './ldap.ts';
import { escapeDn, escapeFilter, normalDn, readSid, siblingSid, sidFilter } from './ldap-text.ts';
import { type Profile, permitsGroups } from './profile.ts';
import type { GatewaySettings } from './schema.ts';

type LdapSettings = GatewaySettings['ldap'];

/** Somebody of the directory; without a full name null. */
export interface Person {
  readonly login: string;
  readonly fullname: string | null;
  readonly groups: readonly string[];
}

export interface People {
  readonly people: readonly Person[];
  /** How many are in none of the restricted groups, and left out. */
  readonly omitted: number;
}

/** Rule that follows memberships of groups in groups (Active Directory's LDAP_MATCHING_RULE_IN_CHAIN). */
const IN_CHAIN = '1.2.840.113556.1.4.1941';
/** Deepest nesting of groups that is followed when all are listed. */
const MAX_NESTING = 32;

export class Directory {
  private readonly settings: LdapSettings;
  private readonly password: string | null;
  private readonly trace: Trace;
  private readonly warn: (sentence: string) => void;

  constructor(
    settings: LdapSettings,
    bindPassword: string | null,
    trace: Trace = () => {},
    warn: (sentence: string) => void = () => {},
  ) {
    this.settings = settings;
    this.password = bindPassword;
    this.trace = trace;
    this.warn = warn;
  }

  /**
   * The profile of whoever gives the right password; null for a wrong one and for an unknown user, after the same
   * work. Throws DirectoryError.
   */
  async signIn(user: string, password: string): Promise<Profile | null> {
    // A bind without a password is anonymous and always succeeds (RFC 4513 section 5.1.2).
    if (user === '' || password === '' || user.includes('\0')) return null;
    const { settings } = this;
    const ldap = await Ldap.open(this.connection(), this.trace);
    try {
      const asUser = settings.lookup_as_user ?? settings.bind_dn === null;
      const dn = settings.lookup_user_dn ? await this.findDn(ldap, user) : this.composeDn(user);
      if (!(await ldap.bind(dn ?? this.composeDn(user), password, 'user')) || dn === null) return null;
      if (!asUser) await this.bindService(ldap);
      const entry = await this.readUser(ldap, dn, user);
      if (!entry) return null;
      const login = entry.texts(settings.user_name_attribute)[0] ?? user;
      const fullname = entry.texts(settings.user_fullname_attribute)[0] ?? login;
      return { login, fullname, groups: await this.groupsOf(ldap, entry, login) };
    } finally {
      await ldap.close();
    }
  }

  /** Everybody, in the directory's order, by two searches. Throws DirectoryError. */
  async list(): Promise<People> {
    const { settings } = this;
    const ldap = await Ldap.open(this.connection(), this.trace);
    try {
      await this.bindService(ldap);
      const userBase = settings.user_base ?? '';
      const found = await ldap.search(userBase, this.userFilter(), this.userAttributes());
      if (!found) throw new DirectoryError('settings', `Unable to find user base ${userBase}`);
      const full = settings.user_fullname_attribute;
      if (found.length > 0 && !found.some(entry => entry.texts(full).length > 0)) {
        throw new DirectoryError('settings', `Unable to extract user ${full} from user entries`);
      }
      const groups = await this.readGroups(ldap);
      const people = found.map(entry => this.describe(entry, groups));
      const kept = people.filter(person => permitsGroups(person.groups, settings.restricted_groups));
      return { people: kept, omitted: people.length - kept.length };
    } finally {
      await ldap.close();
    }
  }

  private connection() {
    return { uri: this.settings.uri ?? '', cacert: this.settings.cacert, starttls: this.settings.starttls };
  }

  private async bindService(ldap: Ldap): Promise<void> {
    const { bind_dn: dn } = this.settings;
    // Without a service account the directory is read as the user who has just signed in, or anonymously.
    if (dn === null) return;
    if (this.password === null) {
      throw new DirectoryError('settings', `Password to authenticate with bind DN ${dn} is required`);
    }
    if (!(await ldap.bind(dn, this.password, 'service'))) {
      throw new DirectoryError('settings', 'Invalid bind DN or password');
    }
  }

  private composeDn(user: string): string {
    const { user_name_attribute: name, user_base: base } = this.settings;
    return `${name}=${escapeDn(user)},${base}`;
  }

  private userFilter(user?: string): string {
    const { user_class: kind, user_name_attribute: name } = this.settings;
    return user === undefined
      ? `(objectClass=${kind})`
      : `(&(objectClass=${kind})(${name}=${escapeFilter(user)}))`;
  }

  private userAttributes(): string[] {
    const { settings } = this;
    return [
      settings.user_name_attribute,
      settings.user_fullname_attribute,
      settings.user_primary_group_attribute,
      'objectSid',
    ];
  }

  private async findDn(ldap: Ldap, user: string): Promise<string | null> {
    await this.bindService(ldap);
    const base = this.settings.user_base ?? '';
    const entries = await ldap.search(base, this.userFilter(user), [this.settings.user_name_attribute]);
    if (!entries) throw new DirectoryError('settings', `Unable to find user base ${base}`);
    // Two of a name: nobody can say who is meant.
    return entries.length === 1 ? (entries[0]?.dn ?? null) : null;
  }

  private async readUser(ldap: Ldap, dn: string, user: string): Promise<LdapEntry | null> {
    const entries = await ldap.search(dn, this.userFilter(user), this.userAttributes());
    return entries?.find(entry => normalDn(entry.dn) === normalDn(dn)) ?? entries?.[0] ?? null;
  }

  private classFilter(): string {
    return `(|${this.settings.group_object_classes.map(name => `(objectClass=${escapeFilter(name)})`).join('')})`;
  }

  private async groupsOf(ldap: Ldap, entry: LdapEntry, login: string): Promise<string[]> {
    const { settings } = this;
    const member = settings.nested_groups ? `member:${IN_CHAIN}:` : 'member';
    const clauses = [`(memberUid=${escapeFilter(login)})`, `(${member}=${escapeFilter(entry.dn)})`];
    const primary = entry.texts(settings.user_primary_group_attribute)[0];
    const sid = readSid(entry.bytes('objectSid'));
    if (primary === undefined) {
      this.warn(`${entry.dn} has no ${settings.user_primary_group_attribute}`);
    } else if (this.primaryIsRid() && sid !== null) {
      clauses.push(`(objectSid=${sidFilter(siblingSid(sid, primary))})`);
    } else clauses.push(`(gidNumber=${escapeFilter(primary)})`);
    const base = settings.group_base ?? '';
    const filter = `(&${this.classFilter()}(|${clauses.join('')}))`;
    const groups = await ldap.search(base, filter, [settings.group_name_attribute]);
    if (!groups) throw new DirectoryError('settings', `Unable to find group base ${base}`);
    return [...new Set(groups.map(group => this.nameOf(group)))];
  }

  private primaryIsRid(): boolean {
    return this.settings.user_primary_group_attribute.toLowerCase() === 'primarygroupid';
  }

  private nameOf(group: LdapEntry): string {
    const { group_name_attribute: attribute } = this.settings;
    const name = group.texts(attribute)[0];
    if (name !== undefined) return name;
    throw new DirectoryError('settings', `Unable to extract group ${attribute} from group entries`);
  }

  /** All groups as a function from an entry to names, so that a listing needs one search. */
  private async readGroups(ldap: Ldap): Promise<(entry: LdapEntry, login: string) => string[]> {
    const { settings } = this;
    const base = settings.group_base ?? '';
    const attributes = [settings.group_name_attribute, 'memberUid', 'member', 'gidNumber', 'objectSid'];
    const groups = await ldap.search(base, this.classFilter(), attributes);
    if (!groups) throw new DirectoryError('settings', `Unable to find group base ${base}`);
    const index = new GroupIndex();
    for (const group of groups) index.add(group, this.nameOf(group));
    if (groups.length === 0) this.warn(`no group found below ${base}`);
    return (entry, login) => {
      const primary = entry.texts(settings.user_primary_group_attribute)[0];
      const sid = this.primaryIsRid() ? readSid(entry.bytes('objectSid')) : null;
      const key = primary === undefined ? null : sid ? siblingSid(sid, primary) : primary;
      return index.of(entry.dn, login, key, settings.nested_groups ? MAX_NESTING : 1);
    };
  }

  private describe(entry: LdapEntry, groups: (entry: LdapEntry, login: string) => string[]): Person {
    const { user_name_attribute: name, user_fullname_attribute: full } = this.settings;
    const login = entry.texts(name)[0];
    if (login === undefined)
      throw new DirectoryError('settings', `Unable to extract user ${name} from user entries`);
    return { login, fullname: entry.texts(full)[0] ?? null, groups: groups(entry, login) };
  }
}

/** Groups by what members are named by; answers in the directory's order. */
class GroupIndex {
  private readonly names: string[] = [];
  private readonly dns: string[] = [];
  private readonly members = new Map<string, number[]>();

  add(group: LdapEntry, name: string): void {
    const at = this.names.push(name) - 1;
    this.dns.push(`dn:${normalDn(group.dn)}`);
    const sid = readSid(group.bytes('objectSid'));
    const keys = [
      ...group.texts('memberUid').map(uid => `uid:${uid}`),
      ...group.texts('member').map(dn => `dn:${normalDn(dn)}`),
      ...group.texts('gidNumber').map(gid => `gid:${gid}`),
      ...(sid === null ? [] : [`gid:${sid}`]),
    ];
    for (const key of keys) {
      const list = this.members.get(key);
      if (list) list.push(at);
      else this.members.set(key, [at]);
    }
  }

  of(dn: string, login: string, primary: string | null, depth: number): string[] {
    let keys = [`uid:${login}`, `dn:${normalDn(dn)}`, ...(primary === null ? [] : [`gid:${primary}`])];
    const found = new Set<number>();
    for (let level = 0; level < depth && keys.length > 0; level += 1) {
      const fresh = keys.flatMap(key => this.members.get(key) ?? []).filter(at => !found.has(at));
      for (const at of fresh) found.add(at);
      keys = fresh.map(at => this.dns[at] ?? '');
    }
    return [...new Set([...found].sort((a, b) => a - b).map(at => this.names[at] ?? ''))];
  }
}
