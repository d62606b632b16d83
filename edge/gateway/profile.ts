/** Makes a login, a full name and groups of what an identity provider claims. */
import { ANONYMOUS } from '../auth/token.ts';
import { SignInFailure } from './failure.ts';

export interface Profile {
  readonly login: string;
  readonly fullname: string;
  readonly groups: readonly string[];
}

export interface ClaimNames {
  readonly subject_claim: string;
  readonly fullname_claim: string;
  /** Empty: groups are not wanted. */
  readonly groups_claim: string;
}

type Claims = Readonly<Record<string, unknown>>;

/** A claim by its literal name, then as a dotted path through objects (`realm_access.roles`). */
function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

/** Which of subject, name and groups an ID token leaves to UserInfo. */
export function missingClaims(claims: Claims, names: ClaimNames): { needed: boolean; wanted: boolean } {
  const lacks = (name: string): boolean => name !== '' && findClaim(claims, name) === undefined;
  const needed = lacks(names.subject_claim) || lacks(names.groups_claim);
  return { needed, wanted: needed || lacks(names.fullname_claim) };
}

/** Builds the profile; `warn` is told of every group that is dropped. Throws SignInFailure `missing_subject`. */
export function makeProfile(claims: Claims, names: ClaimNames, warn: (sentence: string) => void): Profile {
  const login = readText(findClaim(claims, names.subject_claim));
  if (login === null || login === ANONYMOUS) {
    throw new SignInFailure('missing_subject', `claim ${names.subject_claim} holds no usable login`);
  }
  const verified = claims.email_verified;
  if (names.subject_claim === 'email' && (verified === false || verified === 'false')) {
    throw new SignInFailure('missing_subject', 'claim email is not verified');
  }
  const fullname = readText(findClaim(claims, names.fullname_claim)) ?? login;
  return { login, fullname, groups: readGroups(claims, names, warn) };
}

function readGroups(claims: Claims, names: ClaimNames, warn: (sentence: string) => void): string[] {
  if (names.groups_claim === '') return [];
  const value = findClaim(claims, names.groups_claim);
  if (value === undefined || value === null || value === '') return [];
  const groups: string[] = [];
  for (const entry of Array.isArray(value) ? value : [value]) {
    const group = readText(entry);
    if (group === null)
      warn(`claim ${names.groups_claim}: an entry that is no usable group name is left out`);
    else groups.push(group);
  }
  return [...new Set(groups)];
}

/** A non-empty text or a number without control characters, else null. */
function readText(value: unknown): string | null {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  return typeof text === 'string' && text !== '' && !/\p{Cc}/u.test(text) ? text : null;
}

/** Whether the groups let somebody in. A null list restricts nothing. */
export function permitsGroups(groups: readonly string[], restricted: readonly string[] | null): boolean {
  return restricted === null || groups.some(group => restricted.includes(group));
}
