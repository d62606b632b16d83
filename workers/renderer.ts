/** The renderer child: owns layout and ink, answers its parent's questions one at a time over Node's IPC. */
import { toFault } from '../proto/fault.ts';
import type { Answers, Ask, Question, Reply } from '../proto/renderer.ts';
import { ink, type Planned, plan } from './drawing/draw.ts';
import { createMeasure } from './drawing/ink.ts';
import { adopt, type Inventory, readInventory } from './drawing/inventory/database.ts';
import { view } from './drawing/inventory/views.ts';

/** Answers questions of one parent. */
class Renderer {
  readonly #measure = createMeasure();
  #inventory: Inventory | null = null;
  #planned: Planned | null = null;

  answer(question: Question): Answers[keyof Answers] {
    switch (question.type) {
      case 'read': {
        const { inventory, snapshot, findings, folders } = readInventory(
          question.database,
          question.extensions,
        );
        // A faulty reading leaves the last good one in place.
        if (inventory) this.#inventory = inventory;
        return { snapshot, findings, folders };
      }
      case 'adopt':
        if (this.#inventory?.database.version !== question.snapshot.version)
          this.#inventory = adopt(question.snapshot, question.findings);
        else this.#inventory = { ...this.#inventory, findings: question.findings };
        return null;
      case 'plan':
        this.#planned = plan(this.#known(), question.request, this.#measure);
        return { etag: this.#planned.etag, pixels: this.#planned.pixels };
      case 'ink': {
        const planned = this.#planned;
        this.#planned = null;
        if (!planned) throw new Error('nothing was planned');
        return ink(planned);
      }
      case 'view':
        return view(this.#known(), question);
    }
  }

  #known(): Inventory {
    if (!this.#inventory) throw new Error('no inventory was read');
    return this.#inventory;
  }
}

const renderer = new Renderer();

function reply(message: Reply): void {
  // Nobody is left to be told once the daemon is gone.
  process.send?.(message, undefined, undefined, error => {
    if (error) process.exit();
  });
}

process.on('message', ({ id, question }: Ask) => {
  try {
    reply({ id, answer: renderer.answer(question) });
  } catch (error) {
    const fault = toFault(error);
    // The parent logs what only we can see.
    if (fault.kind === 'internal')
      process.stderr.write(`${(fault.cause as Error | undefined)?.stack ?? error}\n`);
    reply({ id, fault: fault.toData() });
  }
});
process.on('disconnect', () => process.exit(0));
// A signal to the whole group, as from a terminal, is the parent's to handle.
process.on('SIGINT', () => undefined);
