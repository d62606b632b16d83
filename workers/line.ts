/** The worker's end of its line to the daemon: questions with their answers, and orders to cancel or stop. */
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../proto/fault.ts';
import type { Answers, Command, Progress, Question } from './job.ts';

interface Waiting {
  resolve(answer: Answers[keyof Answers]): void;
  reject(fault: Fault): void;
}

export class Line {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onMessage: (command: Command) => void;
  #next = 1;

  /** `onOrder` is told of `cancel` and `stop`. */
  constructor(port: MessagePort, onOrder: (order: Extract<Command, { type: 'cancel' | 'stop' }>) => void) {
    this.#port = port;
    this.#onMessage = command => {
      if (command.type === 'cancel' || command.type === 'stop') onOrder(command);
      else this.#settle(command);
    };
    port.on('message', this.#onMessage);
  }

  send(progress: Progress): void {
    this.#port.postMessage(progress);
  }

  /** Asks the daemon; rejects with its refusal, or with the signal's reason when that comes first. */
  async ask<Q extends Question['type']>(
    question: Extract<Question, { type: Q }>,
    signal: AbortSignal,
  ): Promise<Answers[Q]> {
    const id = this.#next++;
    return new Promise<Answers[Q]>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(id);
        reject(signal.reason as Fault);
      };
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, {
        resolve: answer => {
          signal.removeEventListener('abort', onAbort);
          resolve(answer as Answers[Q]);
        },
        reject: fault => {
          signal.removeEventListener('abort', onAbort);
          reject(fault);
        },
      });
      this.send({ type: 'ask', id, question });
    });
  }

  /** Lets go of the port; the thread can serve another task. */
  close(): void {
    this.#port.off('message', this.#onMessage);
    this.#port.close();
  }

  #settle(command: Extract<Command, { type: 'answer' | 'refusal' }>): void {
    const waiting = this.#waiting.get(command.id);
    this.#waiting.delete(command.id);
    if (!waiting) return;
    if (command.type === 'answer') waiting.resolve(command.answer);
    else waiting.reject(Fault.from(command.fault));
  }
}
