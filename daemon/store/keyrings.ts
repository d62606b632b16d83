/** The public files of keyrings, as the keyring job writes them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../proto/fault.ts';

/** One key; times are seconds since the epoch, 0 = never. */
interface Key {
  readonly id: string;
  readonly fingerprint: string;
  readonly algorithm: string;
  readonly created: number;
  readonly expires: number;
}

export interface PublicKeyring {
  readonly userid: string;
  readonly updated: number;
  readonly master: Key;
  readonly subkey: Key;
}

export class Keyrings {
  readonly #storage: string;

  /** `storage` has a folder an instance. */
  constructor(storage: string) {
    this.#storage = storage;
  }

  async read(instance: string): Promise<PublicKeyring | null> {
    const text = await this.#file(instance, 'keyring.json');
    return text === null ? null : (JSON.parse(text) as PublicKeyring);
  }

  armored(instance: string): Promise<string | null> {
    return this.#file(instance, 'public.asc');
  }

  async #file(instance: string, name: string): Promise<string | null> {
    try {
      return await readFile(join(this.#storage, instance, name), 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }
}
