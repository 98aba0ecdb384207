import { until } from '../../../server/test/support/process.ts';
import type { TestService } from '../../../server/test/support/service.ts';
import { untilIndexed } from '../../../server/test/support/threads.ts';

/** So many rows are written well within the time limit of a statement, though others use the machine. */
const PART = 10_000;

/** Fills an inbox the quick way: with copies of a message that was really sent, each a millisecond older than the one before. */
export async function copyMessage({ sql }: Pick<TestService, 'sql'>, subject: string, copies: number): Promise<void> {
  await untilIndexed({ sql });
  for (let from = 1; from <= copies; from += PART)
    await sql(
      `WITH original AS (SELECT m.*, e.party_id, e.position, e.counterparty_id FROM messages m JOIN ledger_entries e ON e.message_id = m.id AND e.box = 'in' WHERE m.subject = $1),
          copies AS (SELECT n, uuidv7() AS copy_id, uuidv7() AS copy_thread FROM generate_series($2::integer, $3::integer) n),
          copied AS (
            INSERT INTO messages (sender_id, id, recipient_id, thread_id, sender, recipient, type, subject, note, json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, segment, file_count)
            SELECT sender_id, copy_id, recipient_id, copy_thread, sender, recipient, type, 'Copy ' || n, note, json, json_sha256, validation, validation_errors, received_at - n * interval '1 ms', content_hash, uuid_send(copy_id) || '\\x000000000000', segment, 0
              FROM original, copies)
     INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment)
     SELECT party_id, 'in', position - n::bigint * 4096, copy_id, counterparty_id, copy_thread, validation, type, segment FROM original, copies`,
      [subject, from, Math.min(copies, from + PART - 1)],
    );
  await sql('ANALYZE messages, ledger_entries');
  // Threads are read again from the ledgers, as `waybill reindex` has it done.
  await sql(`UPDATE thread_index SET rebuilt_through = '00000000-0000-0000-0000-000000000000'`);
  const left = () => sql('SELECT FROM thread_index WHERE rebuilt_through IS NOT NULL');
  await until(async () => (await left()).length === 0);
  await sql('ANALYZE threads');
}
