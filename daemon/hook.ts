/** Runs the site's hook at the start and the end of a task: five seconds, its exit code only logged. */
import { spawn } from 'node:child_process';

/** What a hook is told; each variable comes under both prefixes. */
export interface HookFacts {
  readonly instance: { readonly id: string; readonly name: string };
  readonly task: { readonly id: string; readonly name: string };
  readonly stage: 'start' | 'end';
  readonly result: 'unknown' | 'success' | 'failed' | 'cancelled';
  /** The keys of the task's type, as the REST interface names them. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Milliseconds a hook may take; then it is killed with its children. */
const LIMIT = 5000;

/** Characters of a text, and of the JSON of one key, that fit beside all others into what Linux lets one variable be (128 KiB). */
const MAX_TEXT = 1000;
const MAX_KEY = 16_384;

/** Base64 of the JSON. Where that is too long for a variable, long texts are cut, and keys that are long still left out. */
function encodeMetadata(metadata: HookFacts['metadata']): string {
  const encode = (json: string): string => Buffer.from(json, 'utf8').toString('base64');
  const whole = encode(JSON.stringify(metadata));
  if (whole.length <= 4 * MAX_KEY) return whole;
  const cut = (_key: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  const short = Object.entries(metadata)
    .map(([key, value]): [string, unknown] => [key, JSON.parse(JSON.stringify(value ?? null, cut))])
    .filter(([, value]) => JSON.stringify(value).length <= MAX_KEY);
  return encode(JSON.stringify(Object.fromEntries(short)));
}

/** The environment of a hook: these variables and a PATH, nothing of the daemon's. */
function hookEnvironment(facts: HookFacts): Record<string, string> {
  const variables: Record<string, string> = {
    INSTANCE_ID: facts.instance.id,
    INSTANCE_NAME: facts.instance.name,
    TASK_ID: facts.task.id,
    TASK_NAME: facts.task.name,
    TASK_STAGE: facts.stage,
    TASK_RESULT: facts.result,
    TASK_METADATA: encodeMetadata(facts.metadata),
  };
  const env: Record<string, string> = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  for (const [name, value] of Object.entries(variables)) {
    env[`RACKWRIGHT_${name}`] = value;
    // Existing hooks know no cancelled result.
    env[`FATBUILDR_${name}`] = name === 'TASK_RESULT' && value === 'cancelled' ? 'failed' : value;
  }
  return env;
}

/** Runs the hook; resolves when it has ended, however, with what is worth a log line, null when all went well. */
export async function runHook(command: string, facts: HookFacts): Promise<string | null> {
  try {
    return await run(command, hookEnvironment(facts));
  } catch (error) {
    return `hook ${command} can't be run: ${(error as Error).message}`;
  }
}

/** Rejects where it can't be run: Node throws some errors of spawn(), such as ETXTBSY and ENOTDIR, and tells others. */
function run(command: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [], {
      env,
      stdio: 'ignore',
      cwd: '/',
      // A group of its own, so that its children can be killed along with it.
      detached: true,
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      killGroup(child.pid);
    }, LIMIT);
    child.on('error', error => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      killGroup(child.pid);
      if (late) resolve(`hook ${command} was killed: it took more than ${LIMIT / 1000} s`);
      else resolve(code === 0 ? null : `hook ${command} ended with ${signal ?? code}`);
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
