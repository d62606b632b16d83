/** The pool of renderers: a bounded queue, pixels granted before ink, answers remembered, the inventory shared by all. */
import { createHash } from 'node:crypto';
import { Fault } from '../../proto/fault.ts';
import type { DrawingRequest, Inked, ViewAnswer, ViewRequest } from '../../proto/renderer.ts';
import type { Finding } from '../../proto/tree.ts';
import { AnswerMemory } from './answers.ts';
import { InventoryKeeper, type InventoryLog, type Served } from './inventory.ts';
import { Renderer } from './renderer.ts';
import { Turns } from './turns.ts';

export interface RenderersOptions {
  /** Absolute path of the database, a file or a folder. */
  readonly database: string;
  /** Absolute path of the extensions file, which may be absent; null for none. */
  readonly extensions: string | null;
  /** Parameters beneath those of requests, the lowest first, as YAML. */
  readonly defaults: () => DrawingRequest['defaults'];
  /** Children. */
  readonly renderers: number;
  /** Bytes at which a child is killed. */
  readonly memory: number;
  /** Milliseconds that a drawing may take, waiting included. */
  readonly deadline: number;
  readonly env: NodeJS.ProcessEnv;
  readonly log: InventoryLog;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
}

/** Requests that may wait. */
const MAX_WAITING = 64;
/** Pixels being drawn at one time. */
const MAX_PIXELS = 120_000_000;
/** Bytes of answers kept. */
const MEMORY = 64 * 1024 ** 2;
/** Questions after which a child is replaced when it is idle, and memory above which it is. */
const MAX_ASKED = 20_000;
const IDLE_MEMORY = 400 * 1024 ** 2;
/** Milliseconds that reading the files may take. */
const READ_LIMIT = 120_000;

/** A drawing that was made, or stands as the caller has it. */
export interface Drawn {
  readonly etag: string;
  /** Null when the caller's copy is still good. */
  readonly inked: Inked | null;
}

/** Draws and views, in children. */
export class Renderers {
  readonly #options: RenderersOptions;
  readonly #keeper: InventoryKeeper;
  readonly #turns: Turns<Renderer>;
  readonly #answers = new AnswerMemory<Inked>(
    MEMORY,
    ({ image, coordinates }) => image.length + (coordinates?.length ?? 0),
  );
  readonly #etags = new AnswerMemory<string>(MEMORY / 16, etag => etag.length + 100);
  readonly #underWay = new Map<string, Promise<Drawn>>();
  readonly #all = new Set<Renderer>();
  #pixels = 0;
  readonly #pixelWaiters: (() => void)[] = [];
  #closed = false;

  constructor(options: RenderersOptions) {
    this.#options = options;
    const { log, now } = options;
    this.#keeper = new InventoryKeeper({ read: () => this.#read(), log, now });
    this.#turns = new Turns({
      most: options.renderers,
      waiting: MAX_WAITING,
      open: () => this.#open(),
      isUsable: renderer => renderer.alive,
    });
  }

  /** Reads the inventory for the first time. Never throws: a faulty one is told by status() and by each request. */
  async open(): Promise<void> {
    await this.#keeper.reload();
  }

  /** Reads the files again (SIGHUP). */
  reload(): Promise<void> {
    return this.#keeper.reload();
  }

  /** Why the newest state of the files is not served; null when it is, and where there is no inventory. */
  refusal(): string | null {
    return this.#keeper.refusal;
  }

  status(): { readonly served: Served | null; readonly faults: readonly Finding[] } {
    return { served: this.#keeper.served, faults: this.#keeper.faults };
  }

  /** Process ids of the children. */
  pids(): number[] {
    return [...this.#all].flatMap(renderer => renderer.pid ?? []);
  }

  /** Draws. `etag` is what the caller holds, empty for nothing. Throws faults of the request, or `unavailable`. */
  async draw(request: DrawingRequest, etag: string, signal: AbortSignal): Promise<Drawn> {
    const served = this.#serve();
    const whole: DrawingRequest = {
      ...request,
      defaults: [...this.#options.defaults(), ...request.defaults],
    };
    const day = Math.floor(request.date / 86_400);
    const key = createHash('sha256')
      .update(JSON.stringify([served.snapshot.version, { ...whole, date: day }]))
      .digest('base64');
    const known = this.#etags.get(key);
    const kept = known === undefined ? undefined : this.#answers.get(known);
    if (known !== undefined && known === etag) return { etag, inked: null };
    if (known !== undefined && kept) return { etag: known, inked: kept };
    let drawing = this.#underWay.get(key);
    if (!drawing) {
      // Shared by all who ask the same meanwhile, so that one of them leaving ends nothing for the others.
      drawing = this.#make(whole, key).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, drawing);
    }
    const drawn = await abandonable(drawing, signal);
    return drawn.etag === etag ? { etag, inked: null } : drawn;
  }

  /** Answers a view. */
  async view(request: ViewRequest): Promise<ViewAnswer> {
    const served = this.#serve();
    return this.#withRenderer(this.#options.deadline, async (renderer, left) => {
      await this.#adopt(renderer, served, left);
      return renderer.ask({ type: 'view', ...request }, left());
    });
  }

  /** Ends all children. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#keeper.close();
    this.#turns.close();
    for (const renderer of this.#all) renderer.kill('was stopped');
    await Promise.all([...this.#all].map(renderer => renderer.gone));
  }

  #serve(): Served {
    const { served } = this.#keeper;
    if (served) return served;
    const [first] = this.#keeper.faults;
    const where = first
      ? `${first.file}${first.line > 0 ? `:${first.line}:${first.column}` : ''}: ${first.path} ${first.message}`
      : 'not read yet';
    throw new Fault('unavailable', 'bad-inventory', `There is no inventory to serve: ${where}`);
  }

  async #make(request: DrawingRequest, key: string): Promise<Drawn> {
    const served = this.#serve();
    return this.#withRenderer(this.#options.deadline, async (renderer, left) => {
      await this.#adopt(renderer, served, left);
      const { etag, pixels } = await renderer.ask({ type: 'plan', request }, left());
      this.#etags.set(key, etag);
      const kept = this.#answers.get(etag);
      if (kept) return { etag, inked: kept };
      await this.#grantPixels(pixels, left);
      try {
        const inked = await renderer.ask({ type: 'ink' }, left());
        this.#answers.set(etag, inked);
        return { etag, inked };
      } finally {
        this.#returnPixels(pixels);
      }
    });
  }

  async #adopt(renderer: Renderer, { snapshot, findings }: Served, left: () => number): Promise<void> {
    if (renderer.inventory === snapshot.version) return;
    await renderer.ask({ type: 'adopt', snapshot, findings }, left());
    renderer.inventory = snapshot.version;
  }

  async #read() {
    const { database, extensions } = this.#options;
    return this.#withRenderer(READ_LIMIT, async (renderer, left) => {
      const reading = await renderer.ask({ type: 'read', database, extensions }, left());
      if (reading.snapshot) renderer.inventory = reading.snapshot.version;
      return reading;
    });
  }

  async #withRenderer<T>(
    limit: number,
    work: (renderer: Renderer, left: () => number) => Promise<T>,
  ): Promise<T> {
    const end = performance.now() + limit;
    const left = (): number => Math.max(1, end - performance.now());
    const renderer = await this.#turns.take(limit);
    try {
      return await work(renderer, left);
    } finally {
      // A child that was killed must not be handed on in the moment before its end is seen.
      if (renderer.isDoomed) await renderer.gone;
      else if (renderer.asked > MAX_ASKED || renderer.memory() > IDLE_MEMORY) {
        renderer.kill('was replaced');
        await renderer.gone;
      }
      this.#turns.give(renderer);
    }
  }

  #open(): Renderer {
    if (this.#closed) throw new Fault('unavailable', 'busy', 'The service is stopping');
    const renderer = new Renderer({ env: this.#options.env, memory: this.#options.memory });
    this.#all.add(renderer);
    void renderer.gone.then(() => this.#all.delete(renderer));
    return renderer;
  }

  /** Waits until so many pixels may be drawn beside what is being drawn; one drawing alone may always. */
  async #grantPixels(pixels: number, left: () => number): Promise<void> {
    while (this.#pixels > 0 && this.#pixels + pixels > MAX_PIXELS) {
      const room = new Promise<void>(resolve => this.#pixelWaiters.push(resolve));
      const timer = Promise.withResolvers<void>();
      const id = setTimeout(
        () => timer.reject(new Fault('unavailable', 'timeout', 'Too much is being drawn, try again')),
        left(),
      );
      await Promise.race([room, timer.promise]).finally(() => clearTimeout(id));
    }
    this.#pixels += pixels;
  }

  #returnPixels(pixels: number): void {
    this.#pixels -= pixels;
    for (const wake of this.#pixelWaiters.splice(0)) wake();
  }
}

/** The value, or an early end when nobody waits for it any longer. */
async function abandonable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  if (signal.aborted) throw new Fault('cancelled', 'cancelled', 'The caller has left');
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(new Fault('cancelled', 'cancelled', 'The caller has left'));
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
