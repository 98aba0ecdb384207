export const SIGN_IN_PROVIDERS = ['email', 'google', 'microsoft', 'oidc'] as const;

/** The way in which a person has signed in. */
export type SignInProvider = (typeof SIGN_IN_PROVIDERS)[number];

export const SIGN_IN_PROOFS = ['mailbox', 'domain', 'nothing'] as const;

/**
 * What signing in proved about the person's mailbox: that mails to it reach the person, that its domain vouches for the
 * person, or nothing.
 */
export type SignInProof = (typeof SIGN_IN_PROOFS)[number];

/** A person who makes a request with the cookie of a session. */
export interface Person {
  /** A uuid. */
  id: string;
  /** A mailbox that the person has proved to hold, now or earlier. Null without a proof, whatever the provider says. */
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
  /** Cookies to set in the response; usually none. */
  cookies: string[];
}

/** How often a person gets a mail about notifications. */
export const MAIL_FREQUENCIES = ['at_once', 'hourly', 'daily', 'never'] as const;
export type MailFrequency = (typeof MAIL_FREQUENCIES)[number];
