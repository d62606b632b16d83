/**
 * The child process that renders templates. Templates are hostile: they are interpreted, never made into code, every
 * construct outside their language is refused before, and this process has nothing worth taking (no file system, no
 * child, no network, an unprivileged user).
 *
 * Started by `templates.ts`; reads one JSON request a line, answers one JSON line each.
 */
import { createInterface } from 'node:readline';
import { KNOWN } from './jinja/filters.ts';
import { toLine } from './jinja/json.ts';
import { Machine } from './jinja/machine.ts';
import { parse } from './jinja/parser.ts';
import { Float, type Value } from './jinja/values.ts';
import { guard } from './template-guard.ts';

/** What `templates.ts` sends. */
export interface RenderRequest {
  readonly name: string;
  readonly template: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** Bytes of output allowed. */
  readonly maxOutput: number;
}

/** What it gets back. */
export type RenderAnswer = { readonly output: string } | { readonly error: string };

const NOBODY = 65_534;

/** A value of the context, from JSON. */
function toValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(toValue);
  if (typeof value === 'object' && value !== null) return toMap(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : new Float(value);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

function toMap(held: object): Map<string, Value> {
  return new Map(Object.entries(held).map(([key, value]) => [key, toValue(value)]));
}

function render(request: RenderRequest): RenderAnswer {
  const machine = new Machine();
  try {
    const body = parse(request.template);
    guard(body, KNOWN);
    const output = machine.run(body, toMap(request.context), request.maxOutput);
    if (Buffer.byteLength(output) > request.maxOutput) {
      return { error: `gives more than ${request.maxOutput} bytes` };
    }
    return { output };
  } catch (error) {
    return { error: describe(error, machine.line) };
  }
}

/** Parser and guard name the line themselves; what goes wrong later is where the machine stands. */
function describe(error: unknown, line: number): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof RangeError && /stack/.test(message) ? 'it is nested too deeply' : message;
  const place = /^\[Line (\d+)\] /.exec(text);
  return `line ${place?.[1] ?? line}: ${text.slice(place?.[0].length ?? 0).slice(0, 500)}`;
}

function dropPrivileges(): void {
  if (process.getuid?.() !== 0) return;
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

dropPrivileges();
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(toLine(render(JSON.parse(line) as RenderRequest)));
}
