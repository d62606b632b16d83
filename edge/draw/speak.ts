/** How drawings and views answer faults: always JSON, with the places of faulty parameters where they are known. */
import { STATUS_CODES } from 'node:http';
import type { Fault } from '../../proto/fault.ts';
import { headersOf, Refusal, type Speaker, statusOf } from '../http/problem.ts';

/** What is wrong with one parameter. */
interface ParameterError {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** `{"code","name","description","errors"?}`. */
export const speakDrawing: Speaker = fault => {
  const status = drawingStatus(fault);
  const errors = errorsOf(fault);
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Only areas that ask for a token answer so.
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...headersOf(fault),
    },
    body: JSON.stringify({
      code: status,
      name: STATUS_CODES[status] ?? 'Error',
      description: descriptionOf(fault, status),
      ...(errors.length > 0 ? { errors } : {}),
    }),
  };
};

function descriptionOf(fault: Fault, status: number): string {
  if (status === 415) return 'Unsupported request body format';
  return fault.reason === 'unreachable'
    ? 'The drawing service does not answer, try again soon'
    : fault.message;
}

/** A drawing that is too large is a bad request, not a large one. */
function drawingStatus(fault: Fault): number {
  return fault instanceof Refusal ? fault.status : statusOf(fault);
}

function errorsOf(fault: Fault): ParameterError[] {
  const { errors } = fault.details;
  return typeof errors === 'string' ? (JSON.parse(errors) as ParameterError[]) : [];
}

/** Lets a site answer unknown names as clients of the older service may expect. */
export function withNotFoundStatus(fault: Fault, status: '404' | '400'): Fault {
  if (status === '404' || fault.kind !== 'not_found') return fault;
  return new Refusal(400, fault.message);
}
