import type { Queryable } from '../../platform/postgres/postgres.ts';
import { prepared } from '../../platform/postgres/statement.ts';
import type { MessageSignature } from './signed-request.ts';

const SIGNATURE = prepared(
  'message-signature',
  `SELECT key_id, signature_input, signature, components, body_before, body_after FROM message_signatures WHERE sender_id = $1 AND message_id = $2`,
  {
    key_id: 'uuid',
    signature_input: 'text',
    signature: 'bytea',
    components: 'text',
    body_before: 'bytea',
    body_after: 'bytea',
  },
);

export async function findSignature(db: Queryable, senderId: bigint, messageId: string): Promise<MessageSignature | undefined> {
  const [row] = await db.query(SIGNATURE, [senderId, messageId]);
  return (
    row && {
      keyId: row.key_id,
      signatureInput: row.signature_input,
      signature: row.signature,
      components: row.components,
      bodyBefore: row.body_before,
      bodyAfter: row.body_after,
    }
  );
}
