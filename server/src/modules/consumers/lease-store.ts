import type { Spend } from '../../contract/cost.ts';
import { CONSUMER_UNACKNOWLEDGED_MAX, PAGE_MAX_BYTES } from '../../contract/limits.ts';
import { uuidArray } from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { json, prepared, statement } from '../../platform/postgres/statement.ts';

export const ENTRIES_AT_ONCE = 2_000;

export interface ConsumerKey {
  partyId: bigint;
  name: string;
}

export interface Wanted {
  holder: string;
  limit: number;
  leaseS: number;
  spend: Spend;
}

interface LeasedMessage {
  messageId: string;
  senderId: string;
  position: string;
  bytes: number;
  tries: number;
}

export interface Leased {
  messages: LeasedMessage[];
  leaseUntil: Date;
  /** Nothing has been found so far, but the ledger goes on. */
  hasMore: boolean;
  /** The milliseconds until something can be leased, if nothing can be now. */
  dueInMs: number | undefined;
}

const LEASE = prepared(
  'lease-messages',
  `SELECT again, fresh, lease_until, has_more, due_in_ms FROM lease_messages($1::bigint, $2::text, $3::text, make_interval(secs => $4), $5::integer, $6::integer, $7::integer, $8::integer)`,
  {
    again: json<LeasedMessage[] | null>('json?'),
    fresh: json<LeasedMessage[] | null>('json?'),
    lease_until: 'timestamptz?',
    has_more: 'boolean',
    due_in_ms: 'bigint?',
  },
);

export async function leaseMessages(db: Queryable, { partyId, name }: ConsumerKey, wanted: Wanted): Promise<Leased | undefined> {
  const { holder, limit, leaseS } = wanted;
  const bounds = [PAGE_MAX_BYTES, CONSUMER_UNACKNOWLEDGED_MAX, ENTRIES_AT_ONCE];
  const [row] = await db.query(LEASE, [partyId, name, holder, leaseS, limit, ...bounds]);
  if (!row) return undefined;
  // New messages come after those that were leased before.
  const messages = [...(row.again ?? []), ...(row.fresh ?? [])];
  return {
    messages,
    leaseUntil: row.lease_until ?? new Date(),
    hasMore: row.has_more && messages.length === 0,
    dueInMs: row.due_in_ms === null ? undefined : Number(row.due_in_ms),
  };
}

/** The ids of the changed messages. `hasNews`: something may be leasable that was not before. */
interface Done {
  ids: string[];
  hasNews: boolean;
}

const DONE = { done: 'text[]', has_news: 'boolean' } as const;

const ACKNOWLEDGE = prepared(
  'acknowledge-messages',
  'SELECT done::text[] AS done, has_news FROM acknowledge_messages($1::bigint, $2::text, $3::text, $4::uuid[], $5::bigint, $6::integer)',
  DONE,
);

/** Acknowledges the given messages, or all that the holder has up to a position. Returns undefined when there is no such consumer. */
export async function acknowledgeMessages(
  db: Queryable,
  { partyId, name }: ConsumerKey,
  holder: string,
  { ids, through }: { ids?: readonly string[]; through?: bigint },
): Promise<Done | undefined> {
  const what = [ids === undefined ? null : uuidArray(ids), through ?? null];
  const [row] = await db.query(ACKNOWLEDGE, [partyId, name, holder, ...what, CONSUMER_UNACKNOWLEDGED_MAX]);
  return row && { ids: row.done, hasNews: row.has_news };
}

const RELEASE = prepared(
  'release-messages',
  'SELECT done::text[] AS done, has_news FROM release_messages($1::bigint, $2::text, $3::text, $4::uuid[], make_interval(secs => $5), $6::text, $7::boolean)',
  DONE,
);

interface Release {
  delayS: number;
  reason: string | null;
  /** The worker never got the messages, so the try does not count. */
  isUndone?: boolean;
}

export async function releaseMessages(
  db: Queryable,
  { partyId, name }: ConsumerKey,
  holder: string,
  ids: readonly string[],
  { delayS, reason, isUndone = false }: Release,
): Promise<Done | undefined> {
  const [row] = await db.query(RELEASE, [partyId, name, holder, uuidArray(ids), delayS, reason, isUndone]);
  return row && { ids: row.done, hasNews: row.has_news };
}

const EXTEND = prepared(
  'extend-leases',
  'SELECT done::text[] AS done, lease_until FROM extend_leases($1::bigint, $2::text, $3::text, $4::uuid[], make_interval(secs => $5))',
  { done: 'text[]', lease_until: 'timestamptz' },
);

export async function extendLeases(
  db: Queryable,
  { partyId, name }: ConsumerKey,
  holder: string,
  ids: readonly string[],
  leaseS: number,
): Promise<{ ids: string[]; leaseUntil: Date } | undefined> {
  const [row] = await db.query(EXTEND, [partyId, name, holder, uuidArray(ids), leaseS]);
  return row && { ids: row.done, leaseUntil: row.lease_until };
}

const UNPARK = statement('SELECT done::text[] AS done FROM unpark_messages($1::bigint, $2::text, $3::uuid[])', { done: 'text[]' });

export async function unparkMessages(db: Queryable, { partyId, name }: ConsumerKey, ids: readonly string[]): Promise<string[] | undefined> {
  const [row] = await db.query(UNPARK, [partyId, name, uuidArray(ids)]);
  return row?.done;
}

const SEEK = statement('SELECT through FROM seek_consumer($1::bigint, $2::text, $3::bigint)', { through: 'bigint' });

export async function seekConsumer(db: Queryable, { partyId, name }: ConsumerKey, position: bigint): Promise<boolean> {
  return (await db.query(SEEK, [partyId, name, position])).length > 0;
}
