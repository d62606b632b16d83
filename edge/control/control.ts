/** The daemon as the edge knows it: typed clients over its socket, and who a caller is, remembered for a moment. */
import { Fault } from '../../proto/fault.ts';
import { connect } from '../../proto/rpc.ts';
import { type Client, loadProtocol } from '../../proto/services.ts';

/** Who a caller is and what the policy lets them do. */
export interface Caller {
  readonly login: string;
  readonly roles: readonly string[];
  readonly actions: ReadonlySet<string>;
}

/** The daemon. Every call throws a Fault, `unavailable` while the daemon is away. */
export interface Control {
  readonly builds: Client<'BuildService'>;
  readonly consoles: Client<'ConsoleService'>;
  readonly daemon: Client<'DaemonService'>;
  readonly drawings: Client<'DrawingService'>;
  readonly images: Client<'ImageService'>;
  readonly instances: Client<'InstanceService'>;
  readonly inventories: Client<'InventoryService'>;
  readonly keyrings: Client<'KeyringService'>;
  readonly registries: Client<'RegistryService'>;
  readonly tasks: Client<'TaskService'>;
  readonly tokens: Client<'TokenService'>;
  /** The daemon's word on a caller. Throws what it refuses with: a bad token, no such instance, no token key. */
  who(instance: string, authorization: string | undefined): Promise<Caller>;
  /** Where a caller's submissions are spooled (absolute path) and how many bytes they may have. Throws as `who`. */
  where(instance: string, authorization: string | undefined): Promise<{ spool: string; maxUpload: number }>;
  close(): void;
}

/** Milliseconds that the daemon's word on a caller is used again; a revocation is felt this late on stored files. */
const REMEMBERED = 2000;
/** Callers remembered at once. */
const MAX_REMEMBERED = 1000;

/** Connects to the daemon at `target` (`unix:PATH`); it need not be there yet. `now` is in milliseconds. */
export function openControl(target: string, now: () => number): Control {
  const connection = connect(loadProtocol(), target);
  const tokens = connection.service('TokenService');
  const builds = connection.service('BuildService');
  return {
    builds,
    consoles: connection.service('ConsoleService'),
    daemon: connection.service('DaemonService'),
    drawings: connection.service('DrawingService'),
    images: connection.service('ImageService'),
    instances: connection.service('InstanceService'),
    inventories: connection.service('InventoryService'),
    keyrings: connection.service('KeyringService'),
    registries: connection.service('RegistryService'),
    tasks: connection.service('TaskService'),
    tokens,
    who: remembered(now, async (instance, authorization) => {
      const { login, roles, actions } = await tokens.whoAmI({ instance }, { authorization });
      return { login, roles, actions: new Set(actions) };
    }),
    where: remembered(now, async (instance, authorization) => {
      const { spool, maxUpload } = await builds.prepareBuild({ instance }, { authorization });
      return { spool, maxUpload: maxUpload > 0 ? maxUpload : Number.POSITIVE_INFINITY };
    }),
    close: () => connection.close(),
  };
}

type Ask<T> = (instance: string, authorization: string | undefined) => Promise<T>;

/** Asks once for all who ask the same within a moment. */
function remembered<T>(now: () => number, ask: Ask<T>): Ask<T> {
  const known = new Map<string, { until: number; answer: Promise<T> }>();
  return (instance, authorization) => {
    const key = `${instance}\0${authorization ?? ''}`;
    const found = known.get(key);
    if (found && found.until > now()) return found.answer;
    const answer = ask(instance, authorization);
    known.delete(key);
    known.set(key, { until: now() + REMEMBERED, answer });
    if (known.size > MAX_REMEMBERED) {
      for (const oldest of known.keys()) {
        known.delete(oldest);
        break;
      }
    }
    // A refusal is not remembered: the next caller may be in time for the daemon's return or a new instance.
    answer.catch(() => {
      if (known.get(key)?.answer === answer) known.delete(key);
    });
    return answer;
  };
}

/** A message field that the daemon always sets; without it the answer can't be understood. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) {
    throw new Fault(
      'internal',
      'internal',
      'internal error',
      {},
      { cause: new Error(`answer without ${what}`) },
    );
  }
  return value;
}
