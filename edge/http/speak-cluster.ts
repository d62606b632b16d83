/** How faults are answered below /api and /agent: the JSON that Slurm-web's browser frontend shows. */
import { STATUS_CODES } from 'node:http';
import { headersOf, type Speaker, statusOf } from './problem.ts';

/** `{"code","description","name"}`; the frontend shows `description`, and 401 signs its user out. */
export const speakCluster: Speaker = fault => {
  const status = statusOf(fault);
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...headersOf(fault),
    },
    body: JSON.stringify({ code: status, description: fault.message, name: STATUS_CODES[status] ?? 'Error' }),
  };
};
