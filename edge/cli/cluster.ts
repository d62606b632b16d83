/** `rackwright cluster`: whether an agent can reach its Slurm and what slurmctld says of itself. Works on agent.ini. */
import type { Command } from 'commander';
import { toFault } from '../../proto/fault.ts';
import { places } from '../../systemd/settings.ts';
import { checkCluster, type Finding, readDiagnostics } from '../agent/diagnostics.ts';
import type { AgentSettings } from '../agent/schema.ts';
import { agentFile, readAgentSettings, slurmrestdTarget } from '../agent/settings.ts';
import { slurmHeaders } from '../agent/slurm-auth.ts';
import { Slurmrestd } from '../agent/slurmrestd.ts';
import { EXIT } from './exit.ts';
import type { GeneralOptions } from './program.ts';
import { print, type Surroundings, say, surroundingsOf } from './surroundings.ts';

interface ClusterOptions extends GeneralOptions {
  readonly conf?: string;
  readonly home?: string;
  readonly diag?: boolean;
}

const MARKS: Readonly<Record<Finding['verdict'], string>> = { right: '✅', wrong: '❌', hint: '💡' };

/** Adds `cluster check`, `cluster diag` and `connect-check`, the name that Slurm-web's users know. */
export function addClusterCommand(program: Command): void {
  const cluster = program
    .command('cluster')
    .description('check the connection of a cluster agent to its Slurm');
  const located = (command: Command): Command =>
    command
      .option('--conf <path>', 'settings of the agent (default: agent.ini of the configuration folder)')
      .option('--home <dir>', 'folder that holds everything, as for `up`');
  located(cluster.command('check'))
    .description('check connection, version, permissions, clocks and accounting')
    .addHelpText('after', '\nExample:\n  rackwright cluster check --conf /etc/rackwright/agent.ini')
    .action((_options, command: Command) => withClient(command, check));
  located(cluster.command('diag'))
    .description("show slurmctld's job counters and the nodes that accounting lists")
    .addHelpText('after', '\nExample:\n  rackwright cluster diag --json')
    .action((_options, command: Command) => withClient(command, diagnose));
  located(program.command('connect-check'))
    .description('say whether the cluster answers, in one line')
    .option('--diag', 'show the diagnostics as well')
    .addHelpText('after', '\nExample:\n  rackwright connect-check --diag')
    .action((_options, command: Command) => withClient(command, connectCheck));
}

interface Call {
  readonly client: Slurmrestd;
  readonly settings: AgentSettings;
  readonly options: ClusterOptions;
  readonly around: Surroundings;
}

async function withClient(command: Command, work: (call: Call) => Promise<void>): Promise<void> {
  const around = surroundingsOf(command);
  const options = command.optsWithGlobals<ClusterOptions>();
  const at = places(options.home ?? null);
  const { settings, warnings } = readAgentSettings(options.conf ?? agentFile(at), at);
  const warn = (text: string): void => say(around, `warning: ${text}`);
  for (const warning of warnings) warn(warning);
  const client = new Slurmrestd({
    target: slurmrestdTarget(settings),
    headers: slurmHeaders(settings.slurmrestd, around.now, warn),
    versions: settings.slurmrestd.versions,
    timeout: settings.slurmrestd.timeout,
    rediscover: settings.cache.version,
    now: around.now,
    warn,
    info: () => undefined,
    trace: options.debug ? text => say(around, `debug: ${text}`) : () => undefined,
  });
  try {
    await work({ client, settings, options, around });
  } finally {
    await client.close();
  }
}

async function check({ client, settings, options, around }: Call): Promise<void> {
  const findings = await checkCluster(client, settings, around.now);
  if (options.json) print(around, JSON.stringify(findings));
  else
    for (const { verdict, subject, message } of findings)
      print(around, `${MARKS[verdict]} ${subject}: ${message}`);
  if (findings.some(finding => finding.verdict === 'wrong')) around.exit.code = EXIT.refused;
}

async function diagnose({ client, options, around }: Call): Promise<void> {
  const found = await readDiagnostics(client);
  if (options.json) return print(around, JSON.stringify(found));
  print(around, 'Statistics:');
  for (const [name, value] of Object.entries(found.statistics)) print(around, `  ${name}: ${value}`);
  print(around, 'Accounting:');
  for (const { name, nodes } of found.clusters) print(around, `  ${name}: ${nodes === '' ? '∅' : nodes}`);
}

async function connectCheck(call: Call): Promise<void> {
  const { client, settings, options, around } = call;
  try {
    // slurmrestd answers while slurmctld is down; the cluster does not.
    const { slurm, api, cluster } = await client.ping();
    const name = cluster === '' ? settings.service.cluster : cluster;
    if (options.json) print(around, JSON.stringify({ cluster: name, slurm, api }));
    else print(around, `✅ connection successful! (cluster: ${name}, slurm: ${slurm}, api: ${api})`);
  } catch (error) {
    say(around, toFault(error).message);
    print(around, '❌ connection failure');
    around.exit.code = EXIT.refused;
    return;
  }
  if (options.diag) await diagnose(call);
}
