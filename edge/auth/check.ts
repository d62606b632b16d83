/** What settings files are checked with beyond their schema: faults with their lines, warnings, and secrets in files. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, toFault } from '../../proto/fault.ts';
import type { SettingFault } from '../../systemd/ini.ts';
import { type Loaded, type Schema, throwFaults } from '../../systemd/settings.ts';
import { type Algorithm, readTokenKey, type TokenKey } from './key.ts';

/** Collects faults and warnings, and reads files for them. */
export class Check {
  readonly faults: SettingFault[] = [];
  readonly warnings: string[] = [];
  private readonly file: string;
  private readonly loaded: Pick<Loaded<Schema>, 'settings' | 'origin'>;
  private readonly credentials: string | null;

  /** `credentials` is systemd's `$CREDENTIALS_DIRECTORY`, where a file named like the key's own wins. */
  constructor(file: string, loaded: Pick<Loaded<Schema>, 'settings' | 'origin'>, credentials: string | null) {
    this.file = file;
    this.loaded = loaded;
    this.credentials = credentials;
  }

  fault(section: string, key: string, message: string): void {
    const line = /:(\d+)$/.exec(this.loaded.origin(section, key))?.[1];
    this.faults.push({ file: this.file, line: Number(line ?? 0), section, key, message });
  }

  /** The path to read: systemd's copy of a credential of that name, where there is one. */
  credential(name: string, configured: string): string {
    if (this.credentials === null) return configured;
    const copy = join(this.credentials, name);
    return statSync(copy, { throwIfNoEntry: false }) ? copy : configured;
  }

  /** Throws one SettingsError with every fault found. */
  finish(): void {
    throwFaults(this.faults);
  }

  /** The key that tokens are signed or checked with, null with a fault. */
  tokenKey(section: string, key: string, path: string, algorithm: Algorithm, hint = ''): TokenKey | null {
    if (this.read(section, key, path, hint) === null) return null;
    try {
      return readTokenKey(path, algorithm);
    } catch (error) {
      this.fault(section, key, `${path}: ${toFault(error).message}`);
      return null;
    }
  }

  /** Contents of a file that is secret: a warning when all the world can read it. */
  read(section: string, key: string, path: string, hint = ''): Buffer | null {
    const bytes = this.readPublic(section, key, path, hint);
    if (bytes !== null) this.warnOfOpen(section, key, path);
    return bytes;
  }

  /** A warning when all the world can read a file with a secret; the settings file itself unless told. */
  warnOfOpen(section: string, key: string, path = this.file): void {
    if (((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) === 0) return;
    this.warnings.push(`[${section}]>${key}: everybody on this host can read ${path}; make it mode 0400`);
  }

  /** Contents of a file, null with a fault when it can't be read. */
  readPublic(section: string, key: string, path: string, hint = ''): Buffer | null {
    try {
      return readFileSync(path);
    } catch (error) {
      const code = errorCode(error);
      const why = code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`;
      this.fault(section, key, `${path} ${why}${hint}`);
      return null;
    }
  }

  /** A text secret: its file wins over an inline value and loses exactly one final line feed or CRLF. */
  secret(section: string, key: string, fileKey: string): string | null {
    const slice: Readonly<Record<string, unknown>> = this.loaded.settings[section] ?? {};
    const inline = slice[key] as string | null;
    const path = slice[fileKey] as string | null;
    if (path === null) {
      if (inline === '') this.fault(section, key, 'is empty');
      return inline;
    }
    if (inline !== null) {
      this.warnings.push(`[${section}]: both ${key} and ${fileKey} are set; ${fileKey} is used`);
    }
    const bytes = this.read(section, fileKey, path);
    if (bytes === null) return null;
    let value: string;
    try {
      value = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
    } catch {
      this.fault(section, fileKey, `${path} is not UTF-8 text`);
      return null;
    }
    if (value === '') this.fault(section, fileKey, `${path} holds an empty secret`);
    return value;
  }
}
