import type pg from 'pg';
import { formatId } from '../../src/contract/ids.ts';

/**
 * What tables of release 0.2 say of a business, in the words of the API, read without any code of the service. After an upgrade, lists must say the same.
 */
export interface OlderBusiness {
  handle: string;
  /** The newest first. */
  inbox: OlderEntry[];
  outbox: OlderEntry[];
  threads: OlderThread[];
  contacts: OlderContact[];
}

export interface OlderEntry {
  id: string;
  position: string;
  threadId: string;
  type: string | null;
  segment: string | null;
  validation: string;
  from: string | null;
}

export interface OlderThread {
  id: string;
  message_count: number;
  status: 'open' | 'done';
  labels: string[];
  has_files: boolean;
  failed_schema: boolean;
  assignee: { id: string } | null;
  last_message: { id: string };
}

export interface OlderContact {
  party: { handle?: string; domain?: string; email?: string };
  archived: boolean;
  saved: boolean;
  label: string;
  notes: string;
  activity: { messages_in: number; messages_out: number };
}

const BUSINESS = '(SELECT id FROM parties WHERE handle = $1 OR domain = $1)';

async function entriesOf(sql: pg.Client, handle: string, box: 'in' | 'out'): Promise<OlderEntry[]> {
  const { rows } = await sql.query(
    `SELECT e.message_id, e.position::text, e.thread_id, e.type, e.segment, e.validation, p.handle
       FROM ledger_entries e JOIN parties p ON p.id = e.counterparty_id WHERE e.party_id = ${BUSINESS} AND e.box = $2 ORDER BY e.position DESC`,
    [handle, box],
  );
  return rows.map(({ message_id, position, thread_id, type, segment, validation, handle: from }) => ({
    ...{ id: formatId('msg', message_id), position, threadId: formatId('thr', thread_id), type, segment, validation, from },
  }));
}

/** A thread that was done is open again if a message has come later: whether an index has read it or not. */
async function threadsOf(sql: pg.Client, handle: string): Promise<OlderThread[]> {
  const { rows } = await sql.query(
    `SELECT l.*, coalesce(t.labels, '{}') AS labels, t.assignee_id, coalesce(t.is_done AND l.last_in <= t.done_through, false) AS is_done
       FROM (SELECT e.party_id, e.thread_id, max(e.position) AS last, coalesce(max(e.position) FILTER (WHERE e.box = 'in'), 0) AS last_in,
                    count(DISTINCT e.message_id)::integer AS messages, (array_agg(e.message_id ORDER BY e.position DESC))[1] AS last_id,
                    bool_or(m.file_count > 0) AS has_files, bool_or(e.validation = 'failed') AS failed
               FROM ledger_entries e
               JOIN messages m ON m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id
              WHERE e.party_id = ${BUSINESS} GROUP BY 1, 2) l
       LEFT JOIN threads t ON t.party_id = l.party_id AND t.thread_id = l.thread_id ORDER BY l.last DESC`,
    [handle],
  );
  return rows.map((row) => ({
    id: formatId('thr', row.thread_id),
    message_count: row.messages,
    status: row.is_done ? 'done' : 'open',
    labels: row.labels,
    has_files: row.has_files,
    failed_schema: row.failed,
    assignee: row.assignee_id && { id: formatId('agt', row.assignee_id) },
    last_message: { id: formatId('msg', row.last_id) },
  }));
}

/** In the order of their last message. */
async function contactsOf(sql: pg.Client, handle: string): Promise<OlderContact[]> {
  const { rows } = await sql.query(
    `SELECT c.*, p.handle, p.domain, p.email FROM contacts c JOIN parties p ON p.id = c.other_id WHERE c.party_id = ${BUSINESS}
      ORDER BY (SELECT max(e.position) FROM ledger_entries e WHERE e.party_id = c.party_id AND e.counterparty_id = c.other_id) DESC`,
    [handle],
  );
  return rows.map(({ handle: name, domain, email, archived, saved_at, label, notes, messages_in, messages_out }) => ({
    ...{ party: name === null ? (domain === null ? { email } : { domain }) : { handle: name } },
    ...{ archived, saved: saved_at !== null, label, notes },
    activity: { messages_in: Number(messages_in), messages_out: Number(messages_out) },
  }));
}

export async function readBusiness(sql: pg.Client, handle: string): Promise<OlderBusiness> {
  return {
    handle,
    inbox: await entriesOf(sql, handle, 'in'),
    outbox: await entriesOf(sql, handle, 'out'),
    threads: await threadsOf(sql, handle),
    contacts: await contactsOf(sql, handle),
  };
}

export interface OlderAttempt {
  id: string;
  message_id: string | null;
  attempt: number;
  status: string;
  status_code: number | null;
  error: string | null;
  next_attempt_at: string | null;
  isDue: boolean;
}

/** The attempts of a webhook, the newest first. */
export async function readAttempts(sql: pg.Client, webhookId: string): Promise<OlderAttempt[]> {
  const { rows } = await sql.query(
    `SELECT *, status = 'pending' AND due_at <= now() + interval '5 minutes' AS is_due FROM webhook_attempts WHERE webhook_id = $1 ORDER BY id DESC`,
    [webhookId],
  );
  // The subject of some events is no message.
  const messageOf = (event: string, id: string) => (/^(thread|webhook)\./.test(event) ? null : formatId('msg', id));
  return rows.map(({ id, event, message_id, subject_id, attempt, status, status_code, error, next_attempt_at, is_due }) => ({
    ...{
      id: formatId('dlv', id),
      message_id: messageOf(event, subject_id ?? message_id),
      attempt,
      status,
      status_code,
      error,
      isDue: is_due,
    },
    next_attempt_at: next_attempt_at?.toISOString() ?? null,
  }));
}

export interface OlderConsumer {
  name: string;
  position: string;
  /** What workers hold, or shall get again, in order. */
  kept: { id: string; threadId: string | null; state: string; holder: string | null }[];
}

export async function readConsumers(sql: pg.Client, handle: string): Promise<OlderConsumer[]> {
  const { rows } = await sql.query(
    `SELECT c.name, c.taken_through::text AS position,
            coalesce((SELECT json_agg(m ORDER BY m.position) FROM consumer_messages m WHERE m.party_id = c.party_id AND m.consumer_id = c.id), '[]') AS kept
       FROM consumers c WHERE c.party_id = ${BUSINESS} ORDER BY c.name`,
    [handle],
  );
  type Kept = { message_id: string; thread_id: string | null; state: string; holder: string | null };
  return rows.map(({ name, position, kept }: { name: string; position: string; kept: Kept[] }) => ({
    ...{ name, position },
    kept: kept.map(({ message_id, thread_id, state, holder }) => ({
      ...{ id: formatId('msg', message_id), threadId: thread_id && formatId('thr', thread_id), state, holder },
    })),
  }));
}

export async function readReceipts(sql: pg.Client): Promise<{ token: Buffer; hash: string; isOriginal: boolean }[]> {
  const { rows } = await sql.query(
    `SELECT receipt_token, encode(content_hash, 'hex') AS hash, id IN (SELECT id FROM pg_temp.original_messages) AS is_original FROM messages`,
  );
  return rows.map(({ receipt_token, hash, is_original }) => ({ token: receipt_token, hash: `sha256:${hash}`, isOriginal: is_original }));
}

/** Keys of a business that are still valid, with the ids of their messages. */
export async function readKeys(sql: pg.Client, handle: string): Promise<{ key: string; id: string }[]> {
  const { rows } = await sql.query(`SELECT key, message_id FROM idempotency_keys WHERE party_id = ${BUSINESS} ORDER BY key`, [handle]);
  return rows.map(({ key, message_id }) => ({ key, id: formatId('msg', message_id) }));
}
