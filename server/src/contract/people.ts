export const SIGN_IN_PROVIDERS = ['email', 'google', 'microsoft', 'oidc'] as const;

export type SignInProvider = (typeof SIGN_IN_PROVIDERS)[number];

export const SIGN_IN_PROOFS = ['mailbox', 'domain', 'nothing'] as const;

/** Signing in proved that mails to the mailbox reach the person, that the mailbox's domain vouches for the person, or nothing. */
export type SignInProof = (typeof SIGN_IN_PROOFS)[number];

export interface Person {
  id: string;
  /** A mailbox that the person has proved to hold, now or earlier. Null: there is no proof, whatever the provider says. */
  email: string | null;
  name: string;
  provider: SignInProvider;
  proves: SignInProof;
  sessionId: string;
}

export interface SignedIn {
  person: Person;
  cookies: string[];
}

export const MAIL_FREQUENCIES = ['at_once', 'hourly', 'daily', 'never'] as const;
export type MailFrequency = (typeof MAIL_FREQUENCIES)[number];
