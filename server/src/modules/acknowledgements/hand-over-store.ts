import { HAND_OVER_WAYS, type HandOverWay } from '../../contract/acknowledgements.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { oneOf, prepared } from '../../platform/postgres/statement.ts';

/** A hand-over says that a system of the recipient took a message, but not what becomes of the message. */
export interface HandOver {
  way: HandOverWay;
  at: Date;
  /** Null while it waits for its number, and for hand-overs from before they were logged. */
  number: number | null;
  isWaiting: boolean;
}

export interface NonDelivery {
  at: Date;
  number: number;
}

const HAND_OVER = prepared(
  'hand-over',
  `SELECT h.way, h.handed_over_at, h.number, h.is_waiting
     FROM (SELECT way, handed_over_at, number, false AS is_waiting FROM hand_overs WHERE party_id = $1 AND message_id = $2
           UNION ALL
           SELECT way, handed_over_at, NULL, true FROM noted_hand_overs WHERE party_id = $1 AND message_id = $2) h
    ORDER BY h.is_waiting LIMIT 1`,
  { way: oneOf('hand_over_way', HAND_OVER_WAYS), handed_over_at: 'timestamptz', number: 'smallint?', is_waiting: 'boolean' },
);

/** The first hand-over of a message, where its recipient is. */
export async function findHandOver(db: Queryable, recipientId: bigint, messageId: string): Promise<HandOver | undefined> {
  const [row] = await db.query(HAND_OVER, [recipientId, messageId]);
  return row && { way: row.way, at: row.handed_over_at, number: row.number, isWaiting: row.is_waiting };
}

const NON_DELIVERY = prepared('non-delivery', 'SELECT noted_at, number FROM non_deliveries WHERE party_id = $1 AND message_id = $2', {
  noted_at: 'timestamptz',
  number: 'smallint',
});

export async function findNonDelivery(db: Queryable, recipientId: bigint, messageId: string): Promise<NonDelivery | undefined> {
  const [row] = await db.query(NON_DELIVERY, [recipientId, messageId]);
  return row && { at: row.noted_at, number: row.number };
}
