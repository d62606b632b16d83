/** Sorts the errors of libraries and the network: one line for the log, one of our codes for the person. */
import { SignInFailure } from './failure.ts';
import { Unreachable } from './fetch.ts';

/** Message and code of the innermost cause; never a stack. */
export function errorText(error: unknown): string {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error && inner.cause instanceof Error; depth += 1) {
    inner = inner.cause;
  }
  if (!(inner instanceof Error)) return String(inner);
  const detail = (inner as { detail?: unknown }).detail;
  return typeof detail === 'string' && detail !== '' ? detail : inner.message || inner.name;
}

/** Sorts what openid-client and the network throw into our codes. */
export function classify(error: unknown): SignInFailure {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause instanceof SignInFailure) return cause;
    if (cause instanceof Unreachable || cause.name === 'TimeoutError') {
      return new SignInFailure('provider_unavailable', errorText(cause), { cause: error });
    }
    if (isProviderError(cause)) {
      const detail = `${cause.error} ${cause.error_description ?? ''}`;
      return new SignInFailure('provider_error', detail, { cause });
    }
  }
  return new SignInFailure('provider_error', errorText(error), { cause: error });
}

/** An error that the provider itself answered (RFC 6749 section 5.2). */
interface ProviderError extends Error {
  readonly error: string;
  readonly error_description?: string;
}

/** openid-client's class, told by its name: only oidc.ts knows that library. */
export function isProviderError(error: unknown): error is ProviderError {
  return error instanceof Error && error.name === 'ResponseBodyError' && 'error' in error;
}
