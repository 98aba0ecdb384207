import { uuidArray } from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';
import { COLLEAGUE_KINDS, type Colleague, type NamedColleague } from './colleagues.ts';

export const NOTIFICATION_KINDS = ['mention', 'assignment'] as const;

export interface NewNotification {
  id: string;
  recipient: Colleague;
  kind: (typeof NOTIFICATION_KINDS)[number];
  threadId: string;
  commentId: string | null;
}

const INSERT = statement(
  `INSERT INTO notifications (party_id, recipient_kind, recipient_id, id, kind, thread_id, comment_id, by_kind, by_id, by_name, created_at)
   SELECT $1, n.recipient_kind::worker_kind, n.recipient_id, n.id, n.kind::notification_kind, n.thread_id, n.comment_id, $8::worker_kind, $9, $10, now()
     FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::uuid[])
            AS n (id, recipient_kind, recipient_id, kind, thread_id, comment_id)`,
);
const DELETE_OLD = statement(
  `DELETE FROM notifications n USING unnest($2::worker_kind[], $3::uuid[]) AS k (kind, id)
    WHERE n.party_id = $1 AND n.recipient_kind = k.kind AND n.recipient_id = k.id AND n.id <= (
          SELECT o.id FROM notifications o WHERE o.party_id = $1 AND o.recipient_kind = k.kind AND o.recipient_id = k.id
           ORDER BY o.id DESC OFFSET $4 LIMIT 1)`,
);

export async function insertNotifications(
  tx: Queryable,
  partyId: bigint,
  by: NamedColleague,
  all: readonly NewNotification[],
  max: number,
): Promise<void> {
  if (all.length === 0) return;
  await tx.query(INSERT, [
    partyId,
    uuidArray(all.map(({ id }) => id)),
    all.map(({ recipient }) => recipient.kind),
    uuidArray(all.map(({ recipient }) => recipient.id)),
    all.map(({ kind }) => kind),
    uuidArray(all.map(({ threadId }) => threadId)),
    uuidArray(all.map(({ commentId }) => commentId)),
    by.kind,
    by.id,
    by.name,
  ]);
  const recipients = [...new Map(all.map(({ recipient }) => [recipient.id, recipient])).values()];
  await tx.query(DELETE_OLD, [partyId, recipients.map(({ kind }) => kind), uuidArray(recipients.map(({ id }) => id)), max]);
}

const ROW = columns({
  id: 'uuid',
  kind: oneOf('notification_kind', NOTIFICATION_KINDS),
  thread_id: 'uuid',
  subject: 'text?',
  comment_id: 'uuid?',
  by_kind: oneOf('worker_kind', COLLEAGUE_KINDS),
  by_id: 'uuid',
  by_name: 'text',
  created_at: 'timestamptz',
  read_at: 'timestamptz?',
});

export type NotificationRow = RowOf<typeof ROW>;

const LIST = statement(
  `SELECT ${namesOf(ROW)}
     FROM notifications n LEFT JOIN LATERAL (SELECT t.subject FROM threads t WHERE t.party_id = $1 AND t.thread_id = n.thread_id) t ON true
    WHERE party_id = $1 AND recipient_kind = $2 AND recipient_id = $3 AND ($4::uuid IS NULL OR id < $4) AND ($6::boolean IS NULL OR (read_at IS NULL) = $6)
    ORDER BY id DESC LIMIT $5`,
  ROW,
);

export async function listNotifications(
  db: Queryable,
  partyId: bigint,
  recipient: Colleague,
  below: string | undefined,
  limit: number,
  unread: boolean | undefined,
): Promise<NotificationRow[]> {
  return db.query(LIST, [partyId, recipient.kind, recipient.id, below ?? null, limit, unread ?? null]);
}

const MARK_READ = statement(
  `UPDATE notifications SET read_at = now()
    WHERE party_id = $1 AND recipient_kind = $2 AND recipient_id = $3 AND read_at IS NULL AND ($4::uuid[] IS NULL OR id = ANY ($4)) RETURNING 1 AS one`,
  { one: 'integer' },
);

export async function markNotificationsRead(
  db: Queryable,
  partyId: bigint,
  recipient: Colleague,
  ids: readonly string[] | undefined,
): Promise<number> {
  return (await db.query(MARK_READ, [partyId, recipient.kind, recipient.id, ids ? uuidArray(ids) : null])).length;
}
