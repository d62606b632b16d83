/** The log of a process: readable lines on standard error, where systemd's journal or a terminal takes them. */
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

/** What never reaches a log line, wherever an object has it. */
const SECRETS = [
  'authorization',
  'token',
  'password',
  'secret',
  'passphrase',
  'cookie',
  'code',
  'code_verifier',
];

/** Opens the log of a process called `name`; `debug` lets debug lines through. */
export function openLog(name: string, debug: boolean, env: NodeJS.ProcessEnv): Log {
  const underJournal = env.JOURNAL_STREAM !== undefined;
  const lines = pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY === true,
    singleLine: true,
    // The journal has its own time.
    translateTime: underJournal ? false : 'SYS:standard',
    ignore: underJournal ? 'pid,hostname,time' : 'pid,hostname',
  });
  return pino(
    {
      name,
      level: debug ? 'debug' : 'info',
      redact: { paths: SECRETS.flatMap(key => [key, `*.${key}`, `*.headers.${key}`]), censor: '[hidden]' },
    },
    lines,
  );
}
