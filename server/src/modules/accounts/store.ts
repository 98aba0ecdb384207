import { DEVICE_KNOWN_DAYS } from '../../contract/limits.ts';
import type { Person, SignInProof, SignInProvider } from '../../contract/people.ts';
import type { Queryable } from '../../platform/postgres.ts';

export interface Account {
  name: string;
  createdAt: Date;
}

export async function findAccount(db: Queryable, personId: string): Promise<Account | undefined> {
  const [row] = await db.query<{ name: string; created_at: Date }>('SELECT name, created_at FROM people WHERE id = $1', [personId]);
  return row && { name: row.name, createdAt: row.created_at };
}

export async function rename(db: Queryable, personId: string, name: string): Promise<void> {
  await db.query('UPDATE people SET name = $2, updated_at = now() WHERE id = $1', [personId, name]);
}

/** The mailbox that the person has shown to hold. */
export async function findEmail(db: Queryable, personId: string): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>('SELECT email FROM people WHERE id = $1 AND email_verified', [personId]);
  return row?.email;
}

export interface Session {
  /** A uuid. */
  id: string;
  provider: SignInProvider;
  address: string;
  userAgent: string;
  createdAt: Date;
  /** Noted once a day. */
  seenAt: Date;
  expiresAt: Date;
}

interface SessionRow {
  id: string;
  provider: SignInProvider;
  address: string | null;
  user_agent: string | null;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  [column: string]: unknown;
}

/** In the order in which they were opened. */
export async function listSessions(db: Queryable, personId: string, afterId: string | null, limit: number): Promise<Session[]> {
  const rows = await db.query<SessionRow>(
    `SELECT id, provider, address, user_agent, created_at, updated_at, expires_at FROM sessions
      WHERE person_id = $1 AND expires_at > now() AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
    [personId, afterId, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    provider: row.provider,
    address: row.address ?? '',
    userAgent: row.user_agent ?? '',
    createdAt: row.created_at,
    seenAt: row.updated_at,
    expiresAt: row.expires_at,
  }));
}

export async function deleteSession(db: Queryable, personId: string, id: string): Promise<boolean> {
  const rows = await db.query('DELETE FROM sessions WHERE person_id = $1 AND id = $2 AND expires_at > now() RETURNING id', [personId, id]);
  return rows.length > 0;
}

export async function deleteOtherSessions(db: Queryable, { id, sessionId }: Person): Promise<void> {
  await db.query('DELETE FROM sessions WHERE person_id = $1 AND id <> $2', [id, sessionId]);
}

/** What the sessions of a passkey show: what was shown in the session in which it was added. */
export async function notePasskeyProof(db: Queryable, person: Person, passkeyId: string): Promise<void> {
  await db.query('UPDATE passkeys SET provider = $3, proves = $4 WHERE person_id = $1 AND id = $2', [
    person.id,
    passkeyId,
    person.provider,
    person.proves,
  ]);
}

export async function findPasskeyProof(
  db: Queryable,
  credentialId: string,
): Promise<{ provider: SignInProvider; proves: SignInProof } | undefined> {
  const [row] = await db.query<{ provider: SignInProvider; proves: SignInProof }>(
    'SELECT provider, proves FROM passkeys WHERE credential_id = $1 AND provider IS NOT NULL AND proves IS NOT NULL',
    [credentialId],
  );
  return row;
}

/** Counts one more use in a window that began with the first, and tells how many there were and when it closes. */
export async function countUse(db: Queryable, subject: Buffer, windowS: number): Promise<{ uses: number; closesInS: number }> {
  const [row] = await db.query<{ uses: number; closes_in_s: number }>(
    `INSERT INTO sign_in_counts AS c (subject, window_start, uses) VALUES ($1, now(), 1)
     ON CONFLICT (subject) DO UPDATE
       SET uses = CASE WHEN c.window_start <= now() - make_interval(secs => $2) THEN 1 ELSE c.uses + 1 END,
           window_start = CASE WHEN c.window_start <= now() - make_interval(secs => $2) THEN now() ELSE c.window_start END
     RETURNING uses, ceil(extract(epoch FROM c.window_start + make_interval(secs => $2) - now()))::integer AS closes_in_s`,
    [subject, windowS],
  );
  return { uses: row?.uses ?? 0, closesInS: Math.max(1, row?.closes_in_s ?? 1) };
}

/** Of these browsers and networks, by their hashes, those in which the mailbox was signed in within so many days. */
export async function findKnown(db: Queryable, subjects: Buffer[], days: number): Promise<Buffer[]> {
  const rows = await db.query<{ subject: Buffer }>(
    'SELECT subject FROM known_sign_ins WHERE subject = ANY ($1::bytea[]) AND seen_at > now() - make_interval(days => $2)',
    [subjects, days],
  );
  return rows.map(({ subject }) => subject);
}

export async function noteSignIn(db: Queryable, subjects: Buffer[]): Promise<void> {
  await db.query(
    `INSERT INTO known_sign_ins (subject, seen_at) SELECT unnest, now() FROM unnest($1::bytea[])
     ON CONFLICT (subject) DO UPDATE SET seen_at = excluded.seen_at`,
    [subjects],
  );
}

/** People without access to a thread are told of its next reply again once they have signed in. */
export async function noteSessionOpened(db: Queryable, personId: string): Promise<void> {
  await db.query('UPDATE people SET signed_in_at = now() WHERE id = $1', [personId]);
}

/** What can't be of use to anybody any more. */
export async function purge(db: Queryable): Promise<void> {
  await db.query('DELETE FROM sessions WHERE expires_at < now()');
  await db.query('DELETE FROM verifications WHERE expires_at < now()');
  await db.query("DELETE FROM sign_in_counts WHERE window_start < now() - interval '2 days'");
  await db.query('DELETE FROM known_sign_ins WHERE seen_at < now() - make_interval(days => $1)', [DEVICE_KNOWN_DAYS]);
}
