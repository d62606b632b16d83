/** Daemon and edge over a home of their own with one instance `site`, and what changes its registries. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAptClient } from './apt-client.ts';
import { makeSiteHome, type Place, removeSiteHome, type Site, startSite } from './site.ts';

const INSTANCE = `name: Example site
gpg: {name: Example team, email: team@example.org}
formats:
  deb:
  - {name: stable, env: bookworm, tag: deb12}
  rpm:
  - {name: el9, env: rocky-9, tag: el9}
  osi:
  - {name: ci}
derivatives:
  extra: {}
`;

export const DEB: Place = { instance: 'site', format: 'deb', distribution: 'stable', derivative: 'main' };
export const RPM: Place = { ...DEB, format: 'rpm', distribution: 'el9' };

export class RegistryPair {
  readonly home: string;
  #site: Site | null = null;
  #number = 0;

  private constructor(home: string) {
    this.home = home;
  }

  /** `settings` are lines of rackwright.ini; the home is a new folder unless told. */
  static async open(settings = '', home?: string): Promise<RegistryPair> {
    const ini = `[keyring]\ntype = ed25519\n${settings}`;
    const etc = { 'instances.d/site.yml': INSTANCE, 'rackwright.ini': ini };
    const site = new RegistryPair(makeSiteHome(etc, home));
    await site.start();
    return site;
  }

  get #running(): Site {
    if (!this.#site) throw new Error('the pair does not run');
    return this.#site;
  }
  get pair(): Site['pair'] {
    return this.#running.pair;
  }
  get registry(): Site['registry'] {
    return this.#running.registry;
  }
  get tasks(): Site['tasks'] {
    return this.#running.tasks;
  }

  async start(): Promise<void> {
    this.#site = await startSite(this.home);
  }

  async stop(): Promise<void> {
    await this.#site?.stop();
    this.#site = null;
  }

  /** Ends it and removes a home that was made here. */
  async close(): Promise<void> {
    await this.stop();
    removeSiteHome(this.home);
  }

  /** Waits for a task's end; throws its reason when it failed. */
  async finish(answer: { readonly task: string }): Promise<void> {
    await this.#running.finish('site', answer);
  }

  /** Imports what `fill` puts into a folder. */
  async import(place: Place, fill: (folder: string) => void): Promise<void> {
    const source = join(this.home, `filled-${this.#number++}`);
    mkdirSync(source);
    fill(source);
    await this.finish(await this.registry.importArtifacts({ place, source }));
    rmSync(source, { recursive: true });
  }

  async importDeb(name: string, version: string): Promise<void> {
    await this.#running.importPackages(DEB, `${name} ${version}`);
  }

  /** Absolute path of the public key, as the edge gives it. */
  async keyring(): Promise<string> {
    const response = await fetch(`${this.pair.url}/site/keyring.asc`);
    if (response.status !== 200) throw new Error(`keyring.asc: ${response.status}`);
    const path = join(this.home, 'key.asc');
    writeFileSync(path, await response.text());
    return path;
  }

  /** A real apt that knows our key and nothing else. `path` follows `/deb`. */
  async openApt(path = '', options: readonly string[] = []): Promise<ReturnType<typeof openAptClient>> {
    const key = await this.keyring();
    return openAptClient(`deb [signed-by=${key}] ${this.pair.url}/site/deb${path} stable main`, options);
  }

  /** The Release file that the edge serves now. */
  async release(): Promise<string> {
    const response = await fetch(`${this.pair.url}/site/deb/dists/stable/Release`);
    if (response.status !== 200) throw new Error(`Release: ${response.status}`);
    return response.text();
  }
}
