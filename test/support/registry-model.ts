/** What a registry should hold after each step that changes it: the truth that a killed one is measured against. */
import type { RegistryKey } from '../../workers/job.ts';
import type { RegistryHome } from './registry.ts';

export const PLACE = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
export const KEY: RegistryKey = { ...PLACE, derivative: null };

/** Versions by package name. */
type Held = Readonly<Record<string, string>>;

export interface Content {
  readonly main: Held;
  readonly extra: Held;
}

export interface State extends Content {
  readonly snapshots: Readonly<Record<string, Content>>;
}

export type Step =
  | { readonly verb: 'publish' | 'delete'; readonly name: string; readonly version: string }
  | { readonly verb: 'import'; readonly names: readonly string[]; readonly version: string }
  | { readonly verb: 'snapshot' | 'drop' | 'roll back'; readonly name: string }
  | { readonly verb: 'promote' | 'refresh' };

/** What the registry holds by its catalogue. */
export async function stateOf(registry: RegistryHome): Promise<State> {
  const context = registry.context({ type: 'keyring-creation' }, 'state');
  const contentOf = async (generation?: string): Promise<Content> => {
    const names = generation === undefined ? {} : { generation };
    const { entries } = await context.ask({ type: 'catalogue', registry: KEY, ...names });
    const held = (derivative: string): Held =>
      Object.fromEntries(
        entries.filter(entry => entry.derivative === derivative).map(({ name, version }) => [name, version]),
      );
    return { main: held('main'), extra: held('extra') };
  };
  const snapshots: Record<string, Content> = {};
  for (const { snapshots: names } of registry.catalogue.generations.kept('default', KEY)) {
    for (const name of names) snapshots[name] = await contentOf(name);
  }
  return { ...(await contentOf()), snapshots };
}

/** The state after a step. */
export function after(state: State, step: Step): State {
  const { main, extra, snapshots } = state;
  switch (step.verb) {
    case 'publish':
      return { ...state, main: { ...main, [step.name]: step.version } };
    case 'import':
      return {
        ...state,
        main: { ...main, ...Object.fromEntries(step.names.map(name => [name, step.version])) },
      };
    case 'delete':
      return { ...state, main: without(main, step.name) };
    case 'promote':
      return { ...state, extra: { ...extra, ...main } };
    case 'snapshot':
      return { ...state, snapshots: { ...snapshots, [step.name]: { main, extra } } };
    case 'drop':
      return { ...state, snapshots: without(snapshots, step.name) };
    case 'roll back':
      return { ...state, ...snapshots[step.name] };
    case 'refresh':
      return state;
  }
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
