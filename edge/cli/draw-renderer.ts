/** A renderer child of the command line: the same process that the daemon draws with, for one command. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../proto/fault.ts';
import type { Answers, Ask, Question, Reply } from '../../proto/renderer.ts';

const ENTRY = fileURLToPath(new URL('../../workers/renderer.ts', import.meta.url));

export interface LocalRenderer {
  /** Asks one thing at a time. Throws what the child refuses with, and `unavailable` when it ends. */
  ask<Q extends Question>(question: Q): Promise<Answers[Q['type']]>;
  close(): void;
}

/** Starts the child. */
export function openLocalRenderer(env: Readonly<Record<string, string | undefined>>): LocalRenderer {
  const child = fork(ENTRY, [], {
    env,
    serialization: 'advanced',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let last = 0;
  return {
    ask: question =>
      new Promise((resolve, reject) => {
        const id = ++last;
        const ended = (): void =>
          reject(new Fault('unavailable', 'renderer-failed', 'The renderer ended unexpectedly'));
        const answered = (reply: Reply): void => {
          if (reply.id !== id) return;
          child.off('exit', ended);
          child.off('message', answered as (message: unknown) => void);
          if ('fault' in reply) reject(Fault.from(reply.fault));
          else resolve(reply.answer as never);
        };
        child.once('exit', ended);
        child.once('error', ended);
        child.on('message', answered as (message: unknown) => void);
        child.send({ id, question } satisfies Ask);
      }),
    close: () => {
      child.kill('SIGKILL');
    },
  };
}
