/** The thread entry for tasks: runs one attempt, writes its last frames, and tells how it ended. */
import { rmSync, statfsSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { Fault, type FaultData, toFault } from '../proto/fault.ts';
import { Attempt, GROUPS_FILE } from './attempt.ts';
import type { Job, Outcome } from './job.ts';
import { workFor } from './jobs/jobs.ts';

/** Runs a job to its end. Never throws: whatever goes wrong is an outcome. */
export default async function runTask(message: { job: Job; port: MessagePort }): Promise<Outcome> {
  const { job, port } = message;
  const host = { uid: process.getuid?.() ?? 0, architecture: arch() };
  let attempt: Attempt;
  try {
    attempt = await Attempt.open(job, port, host, (console, error) => sayEnd(console, described(error)));
  } catch (error) {
    return { result: 'failed', fault: described(error), usage: null };
  }
  const { console, context } = attempt;
  let fault: FaultData | null = null;
  try {
    const work = await workFor(job.spec.type);
    await work(context, job.spec);
    if (context.signal.aborted) {
      const reason = toFault(context.signal.reason).message;
      console.log('warning', `Stopping came too late, the work was done: ${reason}.`);
    }
  } catch (error) {
    // Tools that are stopped fail in their own words; why they were stopped is the cause.
    fault = context.signal.aborted ? described(context.signal.reason) : onFullDisk(described(error), job);
  }
  let usage: Outcome['usage'] = null;
  try {
    usage = await attempt.close();
  } catch (error) {
    fault ??= described(error);
  }
  const result = resultOf(fault);
  if (result !== 'stopped') sayEnd(console, fault);
  console.close();
  rmSync(join(job.place, GROUPS_FILE), { force: true });
  return { result, fault, usage };
}

function resultOf(fault: FaultData | null): Outcome['result'] {
  if (fault === null) return 'success';
  if (fault.reason === 'cancelled') return 'cancelled';
  return fault.reason === 'interrupted' ? 'stopped' : 'failed';
}

function sayEnd(console: Attempt['console'], fault: FaultData | null): void {
  if (fault === null) {
    console.end(true);
    return;
  }
  console.log('error', fault.message);
  console.end(false, fault.reason === 'cancelled' ? fault.message : fault.reason);
}

/** Bytes of room below which a disk counts as full: who needs as little has failed for want of it. */
const NO_ROOM = 64 * 1024;

/** Names a full disk where a tool failed on it in words of its own. */
function onFullDisk(fault: FaultData, { place }: Job): FaultData {
  if (!['build-failed', 'prescript-failed', 'internal'].includes(fault.reason)) return fault;
  const { bavail, bsize, files, ffree } = statfsSync(place);
  // Some file systems count no names.
  const isFull = bavail * bsize < NO_ROOM || (files > 0 && ffree === 0);
  if (!isFull) return fault;
  const message = `no space is left on the disk: ${fault.message}`;
  return { ...fault, kind: 'unavailable', reason: 'disk-full', message };
}

/** A fault as data. Of what nobody foresaw the first line is told: the journal is where its owner looks. */
function described(error: unknown): FaultData {
  const fault = toFault(error);
  if (fault.reason !== 'internal' || error instanceof Fault) return fault.toData();
  const words = error instanceof Error ? error.message : String(error);
  return { ...fault.toData(), message: `internal error: ${words.split('\n')[0] ?? ''}` };
}
