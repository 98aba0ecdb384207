import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { formatId } from '../../contract/ids.ts';
import { NO_TEXTS } from '../../contract/message-fields.ts';
import { DEMO_HANDLE } from '../../contract/names.ts';
import type { ActorView, Party } from '../../contract/parties.ts';
import { envelopeJson, hashedText } from '../messages/envelope.ts';

const JSON_TEXT = '{"hello":"from Waybill"}';

/** A sample envelope is complete and has correct hashes, but no receipt. */
export function sampleEnvelope(messageId: string, to: Party, receivedMs: number, publicUrl: string): string {
  const actor: ActorView = {
    kind: 'agent',
    id: formatId('agt', messageId),
    name: 'Webhook test',
    email: null,
    verified: true,
    provider: 'api_key',
  };
  const sender = { party: { kind: 'handle', handle: DEMO_HANDLE, display_name: 'Demo inbox' }, actor };
  const recipient = { party: to.view, segment: null };
  const message = {
    ...NO_TEXTS,
    id: messageId,
    recipientId: to.id,
    threadId: messageId,
    inReplyTo: null,
    type: 'message.test',
    subject: 'A test of your webhook',
    note: 'Nothing was sent. This shows what a message looks like when it arrives.',
    jsonSha256: sha256(canonicalJson(JSON.parse(JSON_TEXT))),
    jsonBytesSha256: sha256(JSON_TEXT),
    files: [],
  };
  const hashed = hashedText({ ...message, canonicalFrom: canonicalJson(sender), canonicalTo: canonicalJson(recipient) });
  const contentHash = sha256(`${hashed.beforeTime}${new Date(receivedMs).toISOString()}${hashed.afterTime}`);
  const sample = {
    ...message,
    sender: JSON.stringify(sender),
    recipient: JSON.stringify(recipient),
    json: JSON_TEXT,
    validation: 'not_applicable' as const,
    validationErrors: '[]',
    receivedMs,
    contentHash,
    receiptToken: Buffer.alloc(22),
    idempotencyKey: null,
  };
  return envelopeJson(sample, { publicUrl, downloadUrls: [], readerId: to.id });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
