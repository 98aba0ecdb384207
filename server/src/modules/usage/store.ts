import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

const POSITIONS_PER_DAY = 86_400_000n * POSITIONS_PER_MS;
/** A day is settled this long after its end: every transaction of the day has committed by then. */
const DAY_SETTLES_IN = "interval '1 hour'";
const EPOCH = "DATE '1970-01-01'";
const TODAY = "(now() AT TIME ZONE 'UTC')::date";
const LAST_DAYS = `generate_series(${TODAY} - ($2::integer - 1), ${TODAY}, '1 day')`;
const firstPositionOf = (day: string) => `((${day} - ${EPOCH}) * ${POSITIONS_PER_DAY})`;

export interface Usage {
  today: Date;
  monthMessages: number;
  dayMessages: number;
  dayUploadBytes: number;
}

const USAGE = statement(
  `SELECT now() AS today, coalesce(sum(messages), 0) AS messages,
          coalesce(sum(messages) FILTER (WHERE day = ${TODAY}), 0) AS day_messages,
          coalesce(sum(upload_bytes) FILTER (WHERE day = ${TODAY}), 0) AS bytes
     FROM daily_usage WHERE party_id = $1 AND day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date`,
  { today: 'timestamptz', messages: 'numeric', day_messages: 'numeric', bytes: 'numeric' },
);

export async function usageOf(db: Queryable, partyId: bigint): Promise<Usage> {
  const { today, messages, day_messages, bytes } = onlyRow(await db.query(USAGE, [partyId]));
  return { today, monthMessages: Number(messages), dayMessages: Number(day_messages), dayUploadBytes: Number(bytes) };
}

const NEW_UNTIL = statement(
  `SELECT claimed_at + make_interval(days => $2) AS until FROM parties
    WHERE id = $1 AND claimed_at > now() - make_interval(days => $2)
      AND NOT EXISTS (SELECT FROM verified_domains WHERE party_id = $1)`,
  { until: 'timestamptz' },
);

/** The business counts as new until this time. Undefined: it is not new. commit_messages applies the same condition. */
export async function newUntil(db: Queryable, partyId: bigint, newAccountDays: number): Promise<Date | undefined> {
  const [row] = await db.query(NEW_UNTIL, [partyId, newAccountDays]);
  return row?.until;
}

const SETTLE_DAYS = statement(
  `WITH missing AS (
     SELECT d::date AS day FROM ${LAST_DAYS} d
      WHERE d::date < ((now() - ${DAY_SETTLES_IN}) AT TIME ZONE 'UTC')::date
        AND NOT EXISTS (SELECT FROM daily_usage u WHERE u.party_id = $1 AND u.day = d::date AND u.received IS NOT NULL)
   ), counted AS (
     SELECT ${EPOCH} + (position / ${POSITIONS_PER_DAY})::integer AS day, count(*) AS received FROM ledger_entries
      WHERE party_id = $1 AND box = 'in' AND position >= (SELECT ${firstPositionOf('min(day)')} FROM missing)
        AND position < (SELECT ${firstPositionOf('max(day) + 1')} FROM missing)
      GROUP BY 1
   )
   INSERT INTO daily_usage (party_id, day, received)
   SELECT $1, m.day, coalesce(c.received, 0) FROM missing m LEFT JOIN counted c USING (day) ORDER BY m.day
   ON CONFLICT (party_id, day) DO UPDATE SET received = excluded.received`,
);

/**
 * Counts the messages of past days once and for all, in one pass over that part of an index. A month of a million messages takes half a
 * second, or two before a vacuum. After that, reading takes milliseconds.
 */
export async function settleDays(db: Queryable, partyId: bigint, days: number): Promise<void> {
  await db.query(SETTLE_DAYS, [partyId, days]);
}

export interface DayOfUsage {
  /** YYYY-MM-DD in UTC. */
  date: string;
  sent: number;
  received: number;
  uploadedBytes: number;
}

const DAYS = statement(
  `SELECT to_char(d.day, 'YYYY-MM-DD') AS date, coalesce(u.messages, 0) AS sent, coalesce(u.upload_bytes, 0) AS bytes,
          coalesce(u.received, (SELECT count(*) FROM ledger_entries e
                                 WHERE e.party_id = $1 AND e.box = 'in' AND e.position >= ${firstPositionOf('d.day')}
                                   AND e.position < ${firstPositionOf('(d.day + 1)')})) AS received
     FROM (SELECT d::date AS day FROM ${LAST_DAYS} d) d LEFT JOIN daily_usage u ON u.party_id = $1 AND u.day = d.day ORDER BY d.day`,
  { date: 'text', sent: 'bigint', bytes: 'bigint', received: 'bigint' },
);

/** The oldest day comes first, today last. Counts messages only for days that are not settled. */
export async function listDays(db: Queryable, partyId: bigint, days: number): Promise<DayOfUsage[]> {
  const rows = await db.query(DAYS, [partyId, days]);
  return rows.map(({ date, sent, received, bytes }) => ({
    date,
    sent: Number(sent),
    received: Number(received),
    uploadedBytes: Number(bytes),
  }));
}
