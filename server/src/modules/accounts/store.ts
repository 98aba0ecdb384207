import { DEVICE_KNOWN_DAYS } from '../../contract/limits.ts';
import {
  MAIL_FREQUENCIES,
  type MailFrequency,
  type Person,
  SIGN_IN_PROOFS,
  SIGN_IN_PROVIDERS,
  type SignInProof,
  type SignInProvider,
} from '../../contract/people.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { oneOf, statement } from '../../platform/postgres/statement.ts';

export interface Account {
  name: string;
  createdAt: Date;
  notificationMail: MailFrequency;
}

const ACCOUNT = statement(
  `SELECT p.name, p.created_at, p.notification_mail, EXISTS (SELECT 1 FROM unsubscribed_mailboxes u WHERE u.email = p.email) AS is_unsubscribed
     FROM people p WHERE p.id = $1`,
  {
    name: 'text',
    created_at: 'timestamptz',
    notification_mail: oneOf('mail_frequency', MAIL_FREQUENCIES),
    is_unsubscribed: 'boolean',
  },
);

export async function findAccount(db: Queryable, personId: string): Promise<Account | undefined> {
  const [row] = await db.query(ACCOUNT, [personId]);
  return row && { name: row.name, createdAt: row.created_at, notificationMail: row.is_unsubscribed ? 'never' : row.notification_mail };
}

const RENAME = statement('UPDATE people SET name = $2, updated_at = now() WHERE id = $1');

export async function rename(db: Queryable, personId: string, name: string): Promise<void> {
  await db.query(RENAME, [personId, name]);
}

const VERIFIED_EMAIL = statement('SELECT email FROM people WHERE id = $1 AND email_verified', { email: 'text' });

export async function findEmail(db: Queryable, personId: string): Promise<string | undefined> {
  const [row] = await db.query(VERIFIED_EMAIL, [personId]);
  return row?.email;
}

const SET_FREQUENCY = statement('UPDATE people SET notification_mail = $2 WHERE id = $1');
const RESUBSCRIBE = statement('DELETE FROM unsubscribed_mailboxes WHERE email = $1');

/** A person who chooses mails is no longer unsubscribed from them. */
export async function setNotificationMail(tx: Queryable, personId: string, frequency: MailFrequency): Promise<void> {
  await tx.query(SET_FREQUENCY, [personId, frequency]);
  const email = frequency === 'never' ? undefined : await findEmail(tx, personId);
  if (email !== undefined) await tx.query(RESUBSCRIBE, [email]);
}

export interface Session {
  id: string;
  provider: SignInProvider;
  passkey: string | null;
  address: string;
  userAgent: string;
  createdAt: Date;
  /** Updated every ten minutes at most. */
  seenAt: Date;
  expiresAt: Date;
}

const SESSIONS = statement(
  `SELECT id, provider, passkey, address, user_agent, created_at, updated_at, expires_at FROM sessions
    WHERE person_id = $1 AND expires_at > now() AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
  {
    id: 'uuid',
    provider: oneOf('sign_in_provider', SIGN_IN_PROVIDERS),
    passkey: 'text?',
    address: 'text?',
    user_agent: 'text?',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
);

export async function listSessions(db: Queryable, personId: string, afterId: string | null, limit: number): Promise<Session[]> {
  const rows = await db.query(SESSIONS, [personId, afterId, limit]);
  return rows.map((row) => ({
    id: row.id,
    provider: row.provider,
    passkey: row.passkey,
    address: row.address ?? '',
    userAgent: row.user_agent ?? '',
    createdAt: row.created_at,
    seenAt: row.updated_at,
    expiresAt: row.expires_at,
  }));
}

const DELETE_SESSION = statement('DELETE FROM sessions WHERE person_id = $1 AND id = $2 AND expires_at > now() RETURNING id', {
  id: 'uuid',
});

export async function deleteSession(db: Queryable, personId: string, id: string): Promise<boolean> {
  return (await db.query(DELETE_SESSION, [personId, id])).length > 0;
}

const DELETE_OTHER_SESSIONS = statement('DELETE FROM sessions WHERE person_id = $1 AND id <> $2');

export async function deleteOtherSessions(db: Queryable, { id, sessionId }: Person): Promise<void> {
  await db.query(DELETE_OTHER_SESSIONS, [id, sessionId]);
}

const NOTE_PASSKEY_PROOF = statement('UPDATE passkeys SET provider = $3, proves = $4 WHERE person_id = $1 AND id = $2');

export async function notePasskeyProof(db: Queryable, person: Person, passkeyId: string): Promise<void> {
  await db.query(NOTE_PASSKEY_PROOF, [person.id, passkeyId, person.provider, person.proves]);
}

const PASSKEY_PROOF = statement(
  'SELECT provider, proves, name FROM passkeys WHERE credential_id = $1 AND provider IS NOT NULL AND proves IS NOT NULL',
  { provider: oneOf('sign_in_provider!', SIGN_IN_PROVIDERS), proves: oneOf('sign_in_proof!', SIGN_IN_PROOFS), name: 'text?' },
);

export async function findPasskeyProof(
  db: Queryable,
  credentialId: string,
): Promise<{ provider: SignInProvider; proves: SignInProof; name: string | null } | undefined> {
  const [row] = await db.query(PASSKEY_PROOF, [credentialId]);
  return row;
}

const COUNT_USE = statement(
  `INSERT INTO sign_in_counts AS c (subject, window_start, uses) VALUES ($1, now(), 1)
   ON CONFLICT (subject) DO UPDATE
     SET uses = CASE WHEN c.window_start <= now() - make_interval(secs => $2) THEN 1 ELSE c.uses + 1 END,
         window_start = CASE WHEN c.window_start <= now() - make_interval(secs => $2) THEN now() ELSE c.window_start END
   RETURNING uses, ceil(extract(epoch FROM c.window_start + make_interval(secs => $2) - now()))::integer AS closes_in_s`,
  { uses: 'integer', closes_in_s: 'integer' },
);

/** Counts a use in a window that begins with its first use. Returns the count, and when the window closes. */
export async function countUse(db: Queryable, subject: Buffer, windowS: number): Promise<{ uses: number; closesInS: number }> {
  const [row] = await db.query(COUNT_USE, [subject, windowS]);
  return { uses: row?.uses ?? 0, closesInS: Math.max(1, row?.closes_in_s ?? 1) };
}

const KNOWN_SIGN_INS = statement(
  'SELECT subject FROM known_sign_ins WHERE subject = ANY ($1::bytea[]) AND seen_at > now() - make_interval(days => $2)',
  { subject: 'bytea' },
);

/** Returns the hashes of browsers and networks in which somebody has signed in with the mailbox within `days`. */
export async function findKnown(db: Queryable, subjects: Buffer[], days: number): Promise<Buffer[]> {
  const rows = await db.query(KNOWN_SIGN_INS, [subjects, days]);
  return rows.map(({ subject }) => subject);
}

const NOTE_SIGN_IN = statement(
  `INSERT INTO known_sign_ins (subject, seen_at) SELECT unnest, now() FROM unnest($1::bytea[])
   ON CONFLICT (subject) DO UPDATE SET seen_at = excluded.seen_at`,
);

export async function noteSignIn(db: Queryable, subjects: Buffer[]): Promise<void> {
  await db.query(NOTE_SIGN_IN, [subjects]);
}

const NOTE_SESSION_OPENED = statement('UPDATE people SET signed_in_at = now() WHERE id = $1');

/** After signing in, a person without access to a thread gets a notice of its next reply again. */
export async function noteSessionOpened(db: Queryable, personId: string): Promise<void> {
  await db.query(NOTE_SESSION_OPENED, [personId]);
}

const PROBE = statement('SELECT');

export async function probe(db: Queryable): Promise<void> {
  await db.query(PROBE);
}

const PURGE_SESSIONS = statement('DELETE FROM sessions WHERE expires_at < now()');
const PURGE_VERIFICATIONS = statement('DELETE FROM verifications WHERE expires_at < now()');
const PURGE_COUNTS = statement("DELETE FROM sign_in_counts WHERE window_start < now() - interval '2 days'");
const PURGE_KNOWN_SIGN_INS = statement('DELETE FROM known_sign_ins WHERE seen_at < now() - make_interval(days => $1)');

export async function purge(db: Queryable): Promise<void> {
  await db.query(PURGE_SESSIONS);
  await db.query(PURGE_VERIFICATIONS);
  await db.query(PURGE_COUNTS);
  await db.query(PURGE_KNOWN_SIGN_INS, [DEVICE_KNOWN_DAYS]);
}
