/** The policy in force: the site's file or the built-in one, read again when it changes; a bad new one changes nothing. */
import { readFileSync, statSync } from 'node:fs';
import { errorCode } from '../../proto/fault.ts';
import { type Policy, readPolicy } from '../../proto/policy.ts';
import { ACTIONS, type Action } from '../../proto/words.ts';
import { parseIni } from '../../systemd/ini.ts';
import { SettingsError, throwFaults } from '../../systemd/settings.ts';
import type { HostGroups } from './host-groups.ts';

/** The policy of a site that has none. */
const DEFAULT_POLICY = `[roles]
anonymous
users=@rackwright
admins=@rackwright-admins

[anonymous]
actions=view-pipeline,view-registry,view-task,view-keyring

[users]
actions=build,edit-registry,edit-task

[admins]
actions=@users,manage-image,edit-keyring,purge-history,manage-token
`;

/** Milliseconds between looks at the files. */
const LOOK = 1000;

export interface PoliciesOptions {
  /** Absolute paths in order of preference; the first that is there is the policy. */
  readonly files: readonly string[];
  readonly groups: HostGroups;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

export class Policies {
  readonly #o: PoliciesOptions;
  #files: readonly string[];
  #policy: Policy;
  #stamp: string;
  #looked: number;

  /** Throws SettingsError when the policy can't be used. */
  constructor(options: PoliciesOptions) {
    this.#o = options;
    this.#files = options.files;
    this.#stamp = this.#currentStamp(options.files);
    this.#looked = options.now();
    this.#policy = this.#read(options.files);
    this.#warnOfGroups();
  }

  /** Roles and actions of a login; null stands for who sent no credential. `groups` come from its token. */
  async allowed(
    login: string | null,
    groups: readonly string[],
  ): Promise<{ readonly roles: readonly string[]; readonly actions: readonly Action[] }> {
    this.#look();
    const known = login === null ? new Set<string>() : await this.#o.groups.of(login);
    const subject = { login, inGroup: (name: string) => groups.includes(name) || known.has(name) };
    const actions = this.#policy.actionsOf(subject) as readonly Action[];
    return { roles: this.#policy.rolesOf(subject), actions };
  }

  /** Reads the policy again, from these files; what it answers puts it in force. Throws SettingsError. */
  prepare(files: readonly string[]): () => void {
    const stamp = this.#currentStamp(files);
    const policy = this.#read(files);
    return () => {
      this.#files = files;
      this.#stamp = stamp;
      this.#policy = policy;
      this.#warnOfGroups();
    };
  }

  #look(): void {
    if (this.#o.now() - this.#looked < LOOK) return;
    this.#looked = this.#o.now();
    const stamp = this.#currentStamp(this.#files);
    if (stamp === this.#stamp) return;
    // What is faulty is told once, not until it is mended.
    this.#stamp = stamp;
    try {
      this.prepare(this.#files)();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.#o.warn(`the policy stays as it was: ${error.message}`);
    }
  }

  #read(files: readonly string[]): Policy {
    const { file, text } = this.#text(files);
    if (text === null)
      throw new SettingsError([{ file, line: 0, section: '', key: '', message: "can't be read" }]);
    const ini = parseIni(text, file);
    throwFaults(ini.faults);
    const { policy, faults } = readPolicy(ini, {
      canonical: action => ((ACTIONS as readonly string[]).includes(action) ? action : null),
      anonymousForAll: true,
      sectionsRequired: false,
    });
    throwFaults(faults);
    return policy as Policy;
  }

  #text(files: readonly string[]): { readonly file: string; readonly text: string | null } {
    for (const file of files) {
      try {
        return { file, text: readFileSync(file, 'utf8') };
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') return { file, text: null };
      }
    }
    return { file: 'built-in policy', text: DEFAULT_POLICY };
  }

  /** Changes whenever one of the files does. */
  #currentStamp(files: readonly string[]): string {
    return files
      .map(file => {
        const stat = statSync(file, { throwIfNoEntry: false });
        return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : '-';
      })
      .join(' ');
  }

  #warnOfGroups(): void {
    // The groups of the built-in policy need not be there.
    if (this.#text(this.#files).file === 'built-in policy') return;
    for (const group of this.#policy.groups) {
      void this.#o.groups.exists(group).then(exists => {
        if (!exists)
          this.#o.warn(`the policy names the group ${group}, which is unknown: it counts as empty`);
      });
    }
  }
}
