/** The one error class for failures that we foresaw, its ten kinds, and the catalogue of reasons. */

/** The kinds of fault with the numbers that gRPC (google.rpc.Code) and HTTP (RFC 9110, nginx's 499) know them by. */
export const KINDS = {
  invalid: { grpc: 3, http: 400 },
  unauthenticated: { grpc: 16, http: 401 },
  forbidden: { grpc: 7, http: 403 },
  not_found: { grpc: 5, http: 404 },
  conflict: { grpc: 6, http: 409 },
  refused: { grpc: 9, http: 409 },
  exhausted: { grpc: 8, http: 429 },
  cancelled: { grpc: 1, http: 499 },
  internal: { grpc: 13, http: 500 },
  unavailable: { grpc: 14, http: 503 },
} as const;

export type Kind = keyof typeof KINDS;

/**
 * Causes that a failed task, an answer or a log line names. They are part of the interface: users' scripts match
 * them, so a published one is never renamed. Grouped by who finds them.
 */
const REASONS = [
  // Anyone: no narrower cause applies.
  'bad-input',
  'bad-settings',
  'not-found',
  'already-there',
  'too-large',
  'timeout',
  'disk-full',
  'busy',
  'internal',
  'unreachable',
  'not-built-yet',
  // Credentials.
  'no-permission',
  'token-invalid',
  'token-expired',
  'token-revoked',
  'no-token-key',
  // Definitions and archives.
  'unsafe-archive',
  'archive-too-large',
  'corrupt-archive',
  'bad-layout',
  'bad-definition',
  'bad-version',
  'bad-checksum',
  'bad-patch',
  'bad-template',
  'no-source',
  'source-changed',
  'download',
  'prescript-failed',
  // Builds.
  'build-failed',
  'mirror',
  'no-environment',
  'no-keyring',
  'no-image',
  'out-of-memory',
  'killed',
  'timeout-total',
  'timeout-idle',
  'log-limit',
  'journal-full',
  'interrupted',
  'cancelled',
  // Registry and keyring.
  'bad-package',
  'version-exists',
  'key-expired',
  'signing-failed',
  'publication-failed',
  'catalogue-mismatch',
  // Drawings and inventories.
  'bad-parameters',
  'bad-inventory',
  'drawing-too-large',
  'renderer-failed',
  // Cluster.
  'slurm-error',
  'slurm-unreachable',
  'slurm-auth',
  'metrics-unavailable',
  // Sign-in.
  'sign-in-failed',
  'provider-unavailable',
  'not-in-group',
] as const;

export type Reason = (typeof REASONS)[number];

export function isReason(word: unknown): word is Reason {
  return (REASONS as readonly unknown[]).includes(word);
}

/** Small plain facts about a fault: the name of a file, a line, a limit. Never a secret. */
export type Details = Readonly<Record<string, string | number | boolean>>;

/** A fault as plain data, as it crosses a thread or a socket. */
export interface FaultData {
  readonly kind: Kind;
  readonly reason: Reason;
  readonly message: string;
  readonly details: Details;
}

/** A failure that we foresaw. Its message is a sentence for the user: it names what was wrong, and where. */
export class Fault extends Error {
  readonly kind: Kind;
  readonly reason: Reason;
  readonly details: Details;

  constructor(kind: Kind, reason: Reason, message: string, details: Details = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Fault';
    this.kind = kind;
    this.reason = reason;
    this.details = details;
  }

  get http(): number {
    return KINDS[this.kind].http;
  }

  toData(): FaultData {
    return { kind: this.kind, reason: this.reason, message: this.message, details: this.details };
  }

  static from(data: FaultData): Fault {
    return new Fault(data.kind, data.reason, data.message, data.details);
  }
}

/** Makes a fault of whatever was thrown; what is not a fault becomes `internal`, its cause kept for the log. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  const code = errorCode(thrown);
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(code, thrown);
  if (code === 'EMFILE' || code === 'ENFILE') {
    const message = 'too many files are open at once; try again soon';
    return new Fault('unavailable', 'busy', message, { code }, { cause: thrown });
  }
  return new Fault('internal', 'internal', 'internal error', {}, { cause: thrown });
}

/** EDQUOT: the quota of a user, a project or a subvolume is used up, while others may still write. */
function diskFull(code: string, cause: unknown): Fault {
  const path = (cause as { path?: unknown }).path;
  const what = code === 'EDQUOT' ? 'the quota of the disk is used up' : 'no space is left on the disk';
  const where = typeof path === 'string' ? `: ${path}` : '';
  return new Fault('unavailable', 'disk-full', `${what}${where}`, { code }, { cause });
}

/** Linux's number of EDQUOT, for which libuv has no name. */
const EDQUOT = -122;

/** The `code` of a Node system error (`ENOENT`, …), else an empty string. */
export function errorCode(thrown: unknown): string {
  const { code, errno } = (thrown ?? {}) as { code?: unknown; errno?: unknown };
  if (errno === EDQUOT) return 'EDQUOT';
  return typeof code === 'string' ? code : '';
}
