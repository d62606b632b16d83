/** How an agent's faults are answered: the frontends' JSON, and the gateway statuses for trouble further up. */

import type { Fault, Reason } from '../../proto/fault.ts';
import { Refusal, type Speaker } from '../http/problem.ts';
import { speakCluster } from '../http/speak-cluster.ts';

/** slurmrestd and the metrics collector are behind us: their trouble is 502, their silence 504. Never 401. */
const STATUS: Partial<Record<Reason, number>> = {
  'slurm-unreachable': 502,
  'slurm-auth': 502,
  'slurm-error': 502,
  timeout: 504,
};

export const speakAgent: Speaker = fault => speakCluster(atGateway(fault));

function atGateway(fault: Fault): Fault {
  const status = fault.kind === 'unavailable' ? STATUS[fault.reason] : undefined;
  return status === undefined ? fault : new Refusal(status, fault.message);
}
