/** `[filters]` of agent.ini: which members of an answer are left, for sites that show less or want less sent. */
import { accountingJob, controllerJob, jobRow, pastRow } from './job-shapes.ts';
import {
  accountRow,
  associationRow,
  nodeDetail,
  nodeRow,
  partitionRow,
  qosRow,
  reservationRow,
} from './shapes.ts';

const of = Object.keys;

/** The members that answers have, by setting. Shapes fill in whatever is missing, so nothing has them all. */
export const MEMBERS = {
  jobs: of(jobRow({})),
  jobs_dbd: of(pastRow({})),
  acctjob: of(accountingJob({}, null, 0)),
  ctldjob: of(controllerJob({})),
  nodes: of(nodeRow({})),
  node: of(nodeDetail({})),
  partitions: of(partitionRow({})),
  qos: of(qosRow({})),
  reservations: of(reservationRow({})),
  accounts: of(accountRow({})),
  associations: of(associationRow({})),
} as const;

/**
 * A job whole: accounting's part overlaid with the controller's; either may be missing, not both. `now` is in seconds
 * since the epoch.
 */
export function jobDetail(
  accounting: unknown,
  controller: unknown,
  leave: { readonly acctjob: readonly string[]; readonly ctldjob: readonly string[] },
  now: number,
): Record<string, unknown> {
  return {
    ...only(accountingJob(accounting, controller, now), leave.acctjob),
    ...(controller === null ? {} : only(controllerJob(controller), leave.ctldjob)),
  };
}

/** The members that the setting leaves; all when it names none. */
export function only(object: Record<string, unknown>, members: readonly string[]): Record<string, unknown> {
  if (members.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => members.includes(name)));
}
