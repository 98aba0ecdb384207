import { parseId } from '../../src/contract/ids.ts';
import type { TestService } from './service.ts';

/** Fills both ledgers with copies of a message, because sending that many bytes takes long. */
export async function copyMessage({ sql }: TestService, id: string, times: number): Promise<void> {
  await sql(
    `WITH copies AS (SELECT n, gen_random_uuid() AS id FROM generate_series(1, $2::int) n),
          stored AS (INSERT INTO messages
                     SELECT (jsonb_populate_record(m, jsonb_build_object('id', c.id, 'receipt_token', '\\x' || replace(gen_random_uuid()::text, '-', '')))).*
                       FROM messages m, copies c WHERE m.id = $1)
     INSERT INTO ledger_entries
     SELECT (jsonb_populate_record(e, jsonb_build_object('message_id', c.id, 'position', e.position + c.n))).*
       FROM ledger_entries e, copies c WHERE e.message_id = $1`,
    [parseId('msg', id), times],
  );
}
