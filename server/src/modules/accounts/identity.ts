import { createHash } from 'node:crypto';
import { PERSON_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { parseEmail } from '../../contract/mail-names.ts';
import type { SignInProof, SignInProvider } from '../../contract/people.ts';
import { withoutUnseen } from '../../contract/visible-text.ts';

/** What an identity provider has signed about somebody. */
export interface Claims {
  iss: string;
  sub: string;
  email?: unknown;
  email_verified?: unknown;
  name?: unknown;
  preferred_username?: unknown;
  /** Google: the domain of the organization. */
  hd?: unknown;
  [claim: string]: unknown;
}

/** What of it we go by. */
export interface Identity {
  provider: SignInProvider;
  /** Of this account at this provider, for ever. */
  accountId: string;
  /** The mailbox that somebody is known by here. Null when the provider is no authority on it. */
  email: string | null;
  proves: SignInProof;
  name: string;
}

/** A top-level name that nobody can register, so nobody can be sent a code there. */
const NOWHERE = 'unproven.invalid';

/** Domains whose mailboxes are run by Google for anybody. */
const GOOGLE_MAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * An address that a provider merely passes on proves nothing: whoever runs a tenant of Microsoft's can write any address
 * into it. So a mailbox counts only where its provider is the authority on it.
 */
export function identityOf(provider: SignInProvider, claims: Claims, isConsumer: (domain: string) => boolean): Identity {
  const claimed = typeof claims.email === 'string' ? parseEmail(claims.email) : undefined;
  const isVerified = claims.email_verified === true;
  const known = claimed !== undefined && isVerified ? standingOf(provider, claims, claimed, isConsumer) : undefined;
  return {
    provider,
    accountId: accountIdOf(claims),
    email: (known && claimed) ?? null,
    proves: known ?? 'nothing',
    name: nameOf(claims.name, claims.preferred_username, claimed),
  };
}

/** A name means nothing without whoever gave it: another issuer gives the same ones to others. */
export function accountIdOf({ iss, sub }: Claims): string {
  return `${iss} ${sub}`;
}

/** Undefined when the provider is no authority on the mailbox. */
function standingOf(
  provider: SignInProvider,
  { hd }: Claims,
  email: string,
  isConsumer: (domain: string) => boolean,
): SignInProof | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (provider === 'google') {
    if (hd === domain) return 'domain';
    return GOOGLE_MAIL.has(domain) ? 'nothing' : undefined;
  }
  return provider === 'oidc' && !isConsumer(domain) ? 'domain' : undefined;
}

/** What people.email holds: better-auth wants one for everybody, and takes equal ones for the same person. */
export function storedEmail({ provider, accountId, email }: Identity): string {
  return email ?? `${createHash('sha256').update(`${provider} ${accountId}`).digest('hex').slice(0, 40)}@${NOWHERE}`;
}

export function isNowhere(email: string): boolean {
  return email.endsWith('.invalid');
}

/** The first that is a name, in one line, with joiners of scripts and emoji and nothing else that is unseen. Names come from anywhere and go into mails and envelopes. */
export function nameOf(...candidates: unknown[]): string {
  for (const candidate of candidates) {
    if (typeof candidate !== 'string') continue;
    const line = withoutUnseen(candidate.toWellFormed(), ' ').replace(/\s+/g, ' ').trim();
    // Cut off, it may end with a joiner that has nothing left to join.
    const name = withoutUnseen([...line].slice(0, PERSON_NAME_MAX_CHARS).join('')).trim();
    if (name !== '') return name;
  }
  return 'Unnamed';
}
