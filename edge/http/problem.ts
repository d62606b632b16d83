/** How a failed request is answered: the faults that only HTTP knows, and the ways in which our areas speak. */
import { STATUS_CODES } from 'node:http';
import { type Details, Fault, type Kind, type Reason } from '../../proto/fault.ts';
import { canonical, JSON_TYPE } from './json.ts';
import { PAGE_HEADERS, refusalPage } from './page.ts';

/** A fault with an HTTP status of its own, such as 405 or 413, and headers that belong to it. */
export class Refusal extends Fault {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(kindOf(status), reasonOf(status), message);
    this.status = status;
    this.headers = headers;
  }

  override get http(): number {
    return this.status;
  }
}

function kindOf(status: number): Kind {
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 503) return 'unavailable';
  return 'invalid';
}

function reasonOf(status: number): Reason {
  if (status === 403) return 'no-permission';
  if (status === 404) return 'not-found';
  if (status === 408) return 'timeout';
  if (status === 413) return 'too-large';
  if (status === 503) return 'busy';
  return 'bad-input';
}

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Turns a fault into the answer that an area's clients understand. */
export type Speaker = (fault: Fault) => Answer;

/** Seconds after which a client may try again when the daemon is away. */
const RETRY_AFTER = '5';

/** Status and headers of a fault, before an area words it. Too large a request is 413 whoever found it. */
export function statusOf(fault: Fault): number {
  return fault.reason === 'too-large' && fault.http === 400 ? 413 : fault.http;
}

/** What the client is told. Where sockets and files of ours lie is nothing to tell a stranger. */
function messageOf(fault: Fault): string {
  if (fault.reason === 'unreachable') return 'the daemon of this service does not answer; try again soon';
  if (fault.reason === 'disk-full') return 'this service has no space left on its disk; try again later';
  return fault.message;
}

/** Headers that a fault's answer carries in any area. */
export function headersOf(fault: Fault): Record<string, string> {
  const status = statusOf(fault);
  // What is not built yet won't be in a moment either.
  const passing = (status === 503 || status === 429) && fault.reason !== 'not-built-yet';
  return {
    ...(passing ? { 'retry-after': RETRY_AFTER } : {}),
    ...(fault instanceof Refusal ? fault.headers : {}),
  };
}

/**
 * The build service's documented routes: 403 and 404 are JSON `{"error":…}`, everything else is a small page, since the
 * existing client takes any other JSON for a success. It knows no 401.
 */
export const speakBuild: Speaker = fault => {
  const status = buildStatus(fault);
  if (status === 403 || status === 404) return errorJson(status, fault);
  return { ...speakPage(fault), status };
};

/** HTML pages: a page whatever happened. */
export const speakPage: Speaker = fault => {
  const status = buildStatus(fault);
  return {
    status,
    headers: { ...PAGE_HEADERS, ...headersOf(fault) },
    body: refusalPage(status, STATUS_CODES[status] ?? 'Error', messageOf(fault)),
  };
};

/** Routes that no old client knows: `application/problem+json` (RFC 9457), but for 403 and 404, which are as above. */
export const speakProblem: Speaker = fault => {
  const status = buildStatus(fault);
  if (status === 403 || status === 404) return errorJson(status, fault);
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headersOf(fault),
    },
    body: canonical({
      status,
      title: STATUS_CODES[status] ?? 'Error',
      detail: messageOf(fault),
      reason: fault.reason,
      ...(Object.keys(fault.details).length > 0 ? { details: plain(fault.details) } : {}),
    }),
  };
};

function errorJson(status: number, fault: Fault): Answer {
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      ...headersOf(fault),
    },
    body: canonical({ error: fault.message, reason: fault.reason }),
  };
}

function buildStatus(fault: Fault): number {
  const status = statusOf(fault);
  return status === 401 ? 403 : status;
}

function plain(details: Details): Record<string, string | number | boolean> {
  return { ...details };
}
