export const SIGN_IN_PROVIDERS = ['email', 'google', 'microsoft', 'oidc'] as const;

/** How a person has signed in. */
export type SignInProvider = (typeof SIGN_IN_PROVIDERS)[number];

export const SIGN_IN_PROOFS = ['mailbox', 'domain', 'nothing'] as const;

/**
 * What the way of signing in showed about the person's mailbox: that mails to it reach the person, that its domain vouches
 * for the person, or nothing.
 */
export type SignInProof = (typeof SIGN_IN_PROOFS)[number];

/** Whoever makes a request with the cookie of a session. */
export interface Person {
  /** A uuid. */
  id: string;
  /** A mailbox that was shown to be theirs, now or earlier. Null for those who have shown none, whatever their provider says. */
  email: string | null;
  name: string;
  provider: SignInProvider;
  proves: SignInProof;
  /** A uuid. */
  sessionId: string;
}

/** A person with a session. */
export interface SignedIn {
  person: Person;
  /** What the browser is to remember from now on, now and then. */
  cookies: string[];
}
