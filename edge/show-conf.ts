/** `show-conf`: every setting of a role with its value and where it came from. */
import { type Loaded, type Places, type Schema, SettingsError } from '../systemd/settings.ts';
import { showSettings } from '../systemd/show.ts';
import { agentSchema } from './agent/schema.ts';
import { agentFile, readAgentFile } from './agent/settings.ts';
import { edgeSchema, loadEdgeConfig } from './config.ts';
import type { CommandSurroundings } from './gateway/commands.ts';
import { gatewaySchema } from './gateway/schema.ts';
import { gatewayFile, readGatewayFile } from './gateway/settings.ts';

interface Shown {
  readonly loaded: Pick<Loaded<Schema>, 'settings' | 'origin'>;
  readonly schema: Schema;
}

/** What each role reads; `conf` is the file that the caller named, which must be there. */
const ROLES: Readonly<Record<string, (at: Places, conf: string | undefined) => Shown>> = {
  edge: at => ({ loaded: loadEdgeConfig(at), schema: edgeSchema(at) }),
  gateway: (at, conf) => ({
    loaded: readGatewayFile(conf ?? gatewayFile(at), at, conf !== undefined),
    schema: gatewaySchema(at),
  }),
  agent: (at, conf) => ({
    loaded: readAgentFile(conf ?? agentFile(at), at, conf !== undefined),
    schema: agentSchema(at),
  }),
};

const USE = `use: show-conf ${Object.keys(ROLES).join('|')}, for gateway and agent with --conf PATH`;

/** Prints the settings; answers the exit status: 1 for a file that is not valid, 2 for wrong words. */
export function showConf(words: readonly string[], { places, print, warn }: CommandSurroundings): number {
  const [name = '', option, conf, more] = words;
  const read = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  const named = option === '--conf' && conf !== undefined && more === undefined && name !== 'edge';
  if (!read || !(named || words.length === 1)) {
    warn(USE);
    return 2;
  }
  try {
    const { loaded, schema } = read(places, conf);
    for (const line of showSettings(loaded, schema)) print(line);
    return 0;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const line of error.message.split('\n')) warn(line);
    return 1;
  }
}
