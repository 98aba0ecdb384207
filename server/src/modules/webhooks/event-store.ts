import { uuidArray } from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

const QUEUE_EVENTS = statement('SELECT queue_webhook_events($1::bigint, $2::text, $3::uuid[])', { queue_webhook_events: 'void' });

export async function insertEvents(tx: Queryable, partyId: bigint, event: string, subjects: readonly string[]): Promise<void> {
  await tx.query(QUEUE_EVENTS, [partyId, event, uuidArray(subjects)]);
}
