/** The handoff of a fresh sign-in to the page or program that waits for it: read once, by one reader. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FailureCode } from './failure.ts';
import type { Profile } from './profile.ts';
import type { Seal } from './seal.ts';
import type { RecordKey, SessionStore } from './store.ts';

/** What a sign-in gives: the token and whom it names. */
export interface SignedIn extends Profile {
  readonly token: string;
}

/** The answer of every way to sign in. */
export function signedInAnswer({ token, login, fullname, groups }: SignedIn) {
  return { result: 'Authentication successful', token, login, fullname, groups };
}

type Content =
  | {
      readonly kind: 'success';
      readonly signedIn: SignedIn;
      readonly returnTo: string | null;
      readonly challenge: string | null;
    }
  | { readonly kind: 'failure'; readonly code: FailureCode; readonly message: string };

/** Life of a handoff, in seconds. */
const LIFE = 60;

export class Handoffs {
  private readonly store: SessionStore;
  private readonly seal: Seal;

  constructor(store: SessionStore, seal: Seal) {
    this.store = store;
    this.seal = seal;
  }

  /** Leaves a success; a PKCE challenge binds it to the program that knows the verifier. Answers its id. */
  async leave(signedIn: SignedIn, returnTo: string | null, challenge: string | null): Promise<string> {
    return this.put(challenge === null ? 'handoff' : 'code', {
      kind: 'success',
      signedIn,
      returnTo,
      challenge,
    });
  }

  async leaveFailure(code: FailureCode, message: string): Promise<string> {
    return this.put('handoff', { kind: 'failure', code, message });
  }

  /** Takes a browser's handoff: one of any concurrent readers gets it. */
  async take(id: string): Promise<Content | null> {
    return this.open({ kind: 'handoff', id: name(id) }, id);
  }

  /** Takes a command line's; a wrong verifier spoils it, so that nobody can try twice. */
  async takeWith(id: string, verifier: string): Promise<SignedIn | null> {
    const content = await this.open({ kind: 'code', id: name(id) }, id);
    if (content?.kind !== 'success' || content.challenge === null) return null;
    const own = createHash('sha256').update(verifier).digest();
    const expected = Buffer.from(content.challenge, 'base64url');
    return expected.length === own.length && timingSafeEqual(expected, own) ? content.signedIn : null;
  }

  private async put(kind: RecordKey['kind'], content: Content): Promise<string> {
    const id = randomBytes(16).toString('base64url');
    const sealed = this.seal.seal(Buffer.from(JSON.stringify(content)), id);
    await this.store.put({ kind, id: name(id) }, sealed, LIFE);
    return id;
  }

  private async open(key: RecordKey, id: string): Promise<Content | null> {
    const sealed = await this.store.take(key);
    const plain = sealed && this.seal.open(sealed, id);
    return plain ? (JSON.parse(plain.toString()) as Content) : null;
  }
}

/** Who can list the store's names still can't ask for a handoff: its name is a hash of its id. */
function name(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
