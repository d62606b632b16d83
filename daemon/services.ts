/** Joins the gRPC services to what they speak for. */
import { createHash } from 'node:crypto';
import type { Spec } from '../workers/job.ts';
import type { Hold } from './backup.ts';
import type { DaemonSettings } from './config.ts';
import { Ended } from './core/ended.ts';
import type { Feed } from './core/feed.ts';
import type { Scheduler } from './core/scheduler.ts';
import { buildService } from './grpc/build-service.ts';
import { consoleService } from './grpc/console-service.ts';
import { daemonService } from './grpc/daemon-service.ts';
import { imageService } from './grpc/image-service.ts';
import { instanceService } from './grpc/instance-service.ts';
import { keyringService } from './grpc/keyring-service.ts';
import { registryService } from './grpc/registry-service.ts';
import type { Services } from './grpc/server.ts';
import { type Submitter, submitOnce } from './grpc/submit.ts';
import { taskService } from './grpc/task-service.ts';
import { tokenService } from './grpc/token-service.ts';
import { limitsOf } from './jobs.ts';
import { readKeyEnds } from './key-ends.ts';
import type { WorkerPool } from './pool/worker-pool.ts';
import type { Reload, SettingsInForce } from './reload.ts';
import type { PlanRetention } from './retention.ts';
import type { Catalogue } from './store/catalogue.ts';
import type { Definitions } from './store/definitions.ts';
import type { Journals } from './store/journals.ts';
import { Keyrings } from './store/keyrings.ts';
import type { Spool } from './store/spool.ts';
import type { TaskLists } from './store/task-lists.ts';
import type { TaskStore } from './store/task-store.ts';
import type { Tokens } from './store/tokens.ts';
import type { Workspaces } from './store/workspaces.ts';

export interface ServiceParts {
  readonly settings: DaemonSettings;
  readonly inForce: SettingsInForce;
  readonly definitions: Definitions;
  readonly scheduler: Scheduler;
  readonly store: TaskStore;
  readonly workspaces: Workspaces;
  readonly spool: Spool;
  readonly lists: TaskLists;
  readonly feed: Feed;
  readonly catalogue: Catalogue;
  readonly journals: Journals;
  readonly tokens: Tokens;
  readonly pool: WorkerPool;
  /** Milliseconds. */
  readonly clock: { monotonic(): number };
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly reload: Reload;
  readonly hold: Hold;
  readonly plan: PlanRetention;
}

export function servicesOf(parts: ServiceParts): Services {
  const { settings, inForce, definitions, scheduler, spool, catalogue, pool } = parts;
  const submitter = submitterOf(parts);
  const keyrings = new Keyrings(settings.keyring.storage);
  const ended = new Ended(parts.clock.monotonic);
  parts.feed.subscribe(task => ended.note(task));
  return {
    DaemonService: daemonService({
      load: scheduler.queue,
      ended,
      started: parts.now(),
      signingKeys: () => readKeyEnds({ keyrings, definitions }),
      reload: parts.reload,
      hold: parts.hold,
    }),
    InstanceService: instanceService(definitions, instance => limitsOf(instance, inForce.threads)),
    BuildService: buildService({
      instances: definitions,
      submitter,
      spool,
      maxUpload: () => inForce.now.edge.max_upload,
      limits: () => {
        const { max_text: text, max_message: message, max_sources: sources } = inForce.now.edge;
        return { text, message, sources };
      },
    }),
    TaskService: taskService({
      scheduler,
      pages: parts.lists,
      feed: parts.feed,
      submitter,
      purge: () => inForce.now.tasks.purge,
    }),
    ConsoleService: consoleService(scheduler, parts.journals),
    KeyringService: keyringService(keyrings, submitter),
    ImageService: imageService({
      instances: definitions,
      submitter,
      images: async instance => {
        const query = { type: 'images', instance, images: settings.images.storage } as const;
        return (await pool.query(query)).images;
      },
      formats: () => inForce.now.images.formats,
    }),
    TokenService: tokenService(parts.tokens),
    RegistryService: registryService({
      reads: catalogue.reads,
      states: catalogue.generations,
      instance: id => definitions.get(id),
      importRoot: () => inForce.now.registry.import_root,
      plan: parts.plan,
      spool,
      submit: async ({ instance, spec, user, check, key, upload }) => {
        const said = JSON.stringify([instance, spec, ...(upload ? [upload.sha256] : [])]);
        const once = key === '' ? null : { key, digest: createHash('sha256').update(said).digest('hex') };
        const task = await submitOnce(submitter, instance, { login: user }, once, id => {
          const size = check();
          if (!upload) return { submission: { spec, size }, files: [] };
          const file = `${submitter.paths(instance, id).place}/upload`;
          const files = [{ from: spool.path(upload.spool), to: file }];
          return { submission: { spec: { ...spec, file } as Spec, size }, files };
        });
        return task.id;
      },
    }),
  };
}

function submitterOf({ scheduler, store, workspaces, now, newId }: ServiceParts): Submitter {
  return {
    newId,
    paths: (instance, task) => workspaces.paths(instance, task),
    submit: (submission, files, once) => scheduler.submit(submission, files, once),
    beginKey: (user, once) => store.beginKey(user, once, now()),
    endKey: (user, once) => store.endKey(user, once),
  };
}
