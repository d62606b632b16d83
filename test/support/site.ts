/** A site with registries: the running pair over instances of a test's own, and packages imported into them. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FrameReader } from '../../proto/frame.ts';
import { type Connection, connect } from '../../proto/rpc.ts';
import { type CallOptions, type Client, loadProtocol } from '../../proto/services.ts';
import { type Pair, startPair } from './pair.ts';
import { makeRpm } from './rpms.ts';
import { tinyDeb, writeTinyDeb } from './tiny-deb.ts';

export interface Place {
  readonly instance: string;
  readonly format: string;
  readonly distribution: string;
  readonly derivative: string;
}

export interface Site {
  readonly home: string;
  readonly pair: Pair;
  /** Over the control socket. */
  readonly registry: Client<'RegistryService'>;
  readonly tasks: Client<'TaskService'>;
  /** RegistryService as the edge calls it, and what such a call carries to be somebody's. */
  readonly edge: { readonly registry: Client<'RegistryService'>; readonly tasks: Client<'TaskService'> };
  token(instance: string, subject: string): Promise<CallOptions>;
  /** Waits for a task's end; throws its reason when it failed. */
  finish(instance: string, task: { readonly task: string }): Promise<void>;
  /** Lines that a task logged. */
  journal(instance: string, task: string): Promise<string[]>;
  /** Imports packages, `name version` each, in one publication. */
  importPackages(place: Place, ...packages: string[]): Promise<void>;
  /** `name version architecture` of what is published, sorted. */
  list(place: Place): Promise<string[]>;
  /** Ends both processes; the home stays. */
  stop(): Promise<void>;
}

/** Files below `etc`, by name. */
export type Etc = Readonly<Record<string, string>>;

/** Makes a home, in a new folder unless told; keys are quick to make unless `rackwright.ini` says otherwise. */
export function makeSiteHome(etc: Etc, home = join(mkdtempSync(join(tmpdir(), 'rw-site-')), 'home')): string {
  mkdirSync(join(home, 'etc/instances.d'), { recursive: true });
  const all = { 'rackwright.ini': '[keyring]\ntype = ed25519\n', ...etc };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(home, 'etc', name), text);
  return home;
}

/** Removes a home with the folder that it was made in. */
export function removeSiteHome(home: string): void {
  rmSync(join(home, '..'), { recursive: true, force: true });
}

/** Starts the pair over a home. */
export async function startSite(home: string): Promise<Site> {
  const pair = await startPair({ home });
  const protocol = loadProtocol();
  const open = (socket: string): Connection => connect(protocol, `unix:${socket}`);
  const [control, edge] = [open(pair.controlSocket), open(join(home, 'run/edge.sock'))];
  const registry = control.service('RegistryService');
  const tasks = control.service('TaskService');
  const finish: Site['finish'] = async (instance, { task: id }) => {
    for (;;) {
      const { task } = await tasks.getTask({ instance, task: id });
      if (task?.state === 'TASK_STATE_FINISHED') {
        assert.equal(task.result, 'TASK_RESULT_SUCCESS', `${task.name}: ${task.reason}`);
        return;
      }
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  };
  let number = 0;
  return {
    home,
    pair,
    registry,
    tasks,
    edge: { registry: edge.service('RegistryService'), tasks: edge.service('TaskService') },
    token: async (instance, subject) => {
      const { token } = await control.service('TokenService').issueToken({ instance, subject });
      return { authorization: `Bearer ${token}` };
    },
    finish,
    journal: async (instance, task) => {
      const lines: string[] = [];
      const reader = new FrameReader();
      const answers = control.service('ConsoleService').follow({ instance, task, storedOnly: true });
      for await (const { frames } of answers) {
        for (const { payload } of reader.push(frames))
          lines.push(payload.toString('utf8').replace(/^\d+:/, ''));
      }
      return lines;
    },
    importPackages: async (place, ...packages) => {
      const folder = join(home, `in-${number++}`);
      mkdirSync(folder);
      for (const one of packages) {
        const [name = '', version = ''] = one.split(' ');
        if (place.format === 'rpm') makeRpm(folder, { name, version });
        else writeTinyDeb(folder, tinyDeb(name, version));
      }
      await finish(place.instance, await registry.importArtifacts({ place, source: folder }));
      rmSync(folder, { recursive: true });
    },
    list: async place => {
      const found: string[] = [];
      for await (const { artifacts } of registry.listArtifacts({ place })) {
        found.push(...artifacts.map(one => `${one.name} ${one.version} ${one.architecture}`));
      }
      return found;
    },
    stop: async () => {
      control.close();
      edge.close();
      await pair.stop();
    },
  };
}
