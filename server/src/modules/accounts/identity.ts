import { createHash } from 'node:crypto';
import { cleanedDisplayName } from '../../contract/display-names.ts';
import { PERSON_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { parseEmail } from '../../contract/mail-names.ts';
import type { SignInProof, SignInProvider } from '../../contract/people.ts';

export interface Claims {
  iss: string;
  sub: string;
  email?: unknown;
  email_verified?: unknown;
  name?: unknown;
  preferred_username?: unknown;
  hd?: unknown;
  [claim: string]: unknown;
}

interface Identity {
  provider: SignInProvider;
  accountId: string;
  /** Null when the provider is not the authority on the mailbox. */
  email: string | null;
  proves: SignInProof;
  name: string;
}

/** Nobody can register a name below `.invalid` (RFC 2606), so no code can be sent there. */
const NOWHERE = 'unproven.invalid';

const GOOGLE_MAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * An address that a provider merely passes on proves nothing: the administrator of a Microsoft tenant can enter any address. So a
 * mailbox counts only if its provider is the authority on it.
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

/** The issuer is part of the id: another issuer may use the same subject for another person. */
export function accountIdOf({ iss, sub }: Claims): string {
  return `${iss} ${sub}`;
}

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

/** The value of people.email. better-auth requires one for everybody, and treats equal ones as the same person. */
export function storedEmail({ provider, accountId, email }: Identity): string {
  return email ?? `${createHash('sha256').update(`${provider} ${accountId}`).digest('hex').slice(0, 40)}@${NOWHERE}`;
}

export function isNowhere(email: string): boolean {
  return email.endsWith('.invalid');
}

export function nameOf(...candidates: unknown[]): string {
  for (const candidate of candidates) {
    if (typeof candidate !== 'string') continue;
    const name = cleanedDisplayName(candidate, PERSON_NAME_MAX_CHARS);
    if (name !== '') return name;
  }
  return 'Unnamed';
}
