/** Why a sign-in failed: the codes that the frontend's address bar shows, and a sentence for the person for each. */

/** Sentences by code. They name no secret and nothing that a provider or a stranger has sent. */
export const FAILURES = {
  access_denied: 'The identity provider did not let you in, or you cancelled the sign-in.',
  invalid_state:
    'This sign-in was not started in this browser, has been used already, or took longer than ten minutes. Please try again.',
  provider_unavailable: 'The identity provider cannot be reached at the moment. Please try again later.',
  provider_error:
    'The identity provider answered with an error. Please try again; if it persists, tell your administrator.',
  token_invalid:
    'The answer of the identity provider did not pass the checks. Please try again; if it persists, tell your administrator.',
  missing_subject:
    'The identity provider did not tell a usable login name for you. Please tell your administrator.',
  not_allowed: 'You are in none of the groups that may sign in here.',
  too_many_groups: 'You are in more groups than a session can carry. Please tell your administrator.',
  internal_error: 'Something went wrong on our side.',
} as const;

export type FailureCode = keyof typeof FAILURES;

/** A sign-in that ends on a readable page. `detail` is for the log alone: shortened, without secrets. */
export class SignInFailure extends Error {
  readonly code: FailureCode;
  readonly detail: string;

  constructor(code: FailureCode, detail: string, options?: ErrorOptions) {
    super(FAILURES[code], options);
    this.name = 'SignInFailure';
    this.code = code;
    this.detail = shorten(detail);
  }
}

/** Foreign text made fit for one log line. */
export function shorten(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean;
}
