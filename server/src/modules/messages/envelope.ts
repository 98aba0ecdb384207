import { canonicalJson } from '../../contract/canonical-json.ts';
import { formatId, formatReceiptToken } from '../../contract/ids.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { MessageSignature } from '../signatures/signed-request.ts';
import { receiptErrors } from './receipt-errors.ts';

/** A delivered message, as stored. `sender`, `recipient` and `validationErrors` are JSON text of the moment of delivery. */
export interface StoredMessage {
  id: string;
  threadId: string;
  inReplyTo: string | null;
  sender: string;
  recipient: string;
  type: string | null;
  subject: string | null;
  note: string | null;
  json: string | null;
  jsonSha256: Buffer | null;
  /** Of `json` as it was sent. Null without one, and for messages from before this hash was recorded. */
  jsonBytesSha256: Buffer | null;
  validation: 'passed' | 'failed' | 'not_applicable';
  validationErrors: string;
  receivedMs: number;
  contentHash: Buffer;
  receiptToken: Buffer;
  idempotencyKey: string | null;
  files: readonly DeliveredFile[];
}

/** The fields of a message request that the sender may omit. */
export const UNWRITTEN = { type: null, subject: null, note: null } as const;

/** A message with everything that is known before the transaction that delivers it. */
export interface PreparedMessage extends Omit<StoredMessage, 'json' | 'receivedMs' | 'contentHash'> {
  senderId: bigint;
  recipientId: bigint;
  segment: string | null;
  json: Buffer | null;
  fromEmail: string | null;
  fromDomain: string | null;
  hashedBeforeTime: string;
  hashedAfterTime: string;
  /** Bytes of files in the request, which count toward the day's limit; uploads have been counted before. */
  inlineBytes: number;
  /** Of the message request, if it was signed. */
  signature?: MessageSignature;
  /** Of the message request, if it has an idempotency key. Unknown of a message that another process has prepared. */
  requestDigest?: Buffer | undefined;
}

/** Spliced from text, never serialized again: `json` stays byte for byte as sent. */
export function envelopeJson(message: StoredMessage, publicUrl: string, downloadUrls: readonly string[]): string {
  return `${opening(message)},"json":${message.json ?? 'null'},${closing(message, publicUrl, filesFor(message, downloadUrls))}`;
}

/** With the size of `json` in its place. */
export function summaryJson(message: StoredMessage, jsonBytes: number | null, publicUrl: string, downloadUrls: readonly string[]): string {
  return `${opening(message)},"json_bytes":${jsonBytes},${closing(message, publicUrl, filesFor(message, downloadUrls))}`;
}

function filesFor({ files }: StoredMessage, downloadUrls: readonly string[]): object[] {
  return files.map((file, i) => ({ ...fileView(file), download_url: downloadUrls[i] }));
}

/** What everybody with the token may see. */
export function receiptJson(message: StoredMessage, publicUrl: string): string {
  const shown = { ...message, validationErrors: receiptErrors(message.validationErrors) };
  return `${opening(shown)},${closing(shown, publicUrl, message.files.map(fileView))}`;
}

/** The receipt of a sender who shows as little as possible: who, when, and the hashes. */
export function minimalReceiptJson(m: StoredMessage, publicUrl: string): string {
  const partyOf = (side: string) => ({ party: JSON.parse(side).party });
  return JSON.stringify({
    detail: 'minimal',
    id: formatId('msg', m.id),
    from: partyOf(m.sender),
    to: partyOf(m.recipient),
    json_sha256: m.jsonSha256 && sha256Text(m.jsonSha256),
    json_bytes_sha256: m.jsonBytesSha256 && sha256Text(m.jsonBytesSha256),
    files: m.files.map(({ sha256 }) => ({ sha256: sha256 && sha256Text(sha256) })),
    received_at: new Date(m.receivedMs).toISOString(),
    content_hash: sha256Text(m.contentHash),
    receipt_url: receiptUrl(m, publicUrl),
  });
}

function receiptUrl({ receiptToken }: StoredMessage, publicUrl: string): string {
  return `${publicUrl}/r/${formatReceiptToken(receiptToken)}`;
}

/** A file without its download URL, which only the parties get. */
function fileView({ id, filename, contentType, sizeBytes, sha256 }: DeliveredFile) {
  return {
    id: formatId('file', id),
    filename,
    content_type: contentType,
    size_bytes: sizeBytes,
    sha256: sha256 === null ? null : sha256Text(sha256),
  };
}

export function sha256Text(hash: Buffer): string {
  return `sha256:${hash.toString('hex')}`;
}

function hashOrNull(hash: Buffer | null): string {
  return hash === null ? 'null' : `"${sha256Text(hash)}"`;
}

function idOrNull(uuid: string | null): string {
  return uuid === null ? 'null' : `"${formatId('msg', uuid)}"`;
}

function opening(m: StoredMessage): string {
  return (
    `{"id":"${formatId('msg', m.id)}","thread_id":"${formatId('thr', m.threadId)}","in_reply_to":${idOrNull(m.inReplyTo)}` +
    `,"from":${m.sender},"to":${m.recipient}` +
    `,"type":${JSON.stringify(m.type)},"subject":${JSON.stringify(m.subject)},"note":${JSON.stringify(m.note)}`
  );
}

function closing(m: StoredMessage, publicUrl: string, files: readonly object[]): string {
  return (
    `"json_sha256":${hashOrNull(m.jsonSha256)},"json_bytes_sha256":${hashOrNull(m.jsonBytesSha256)},"files":${files.length === 0 ? '[]' : JSON.stringify(files)}` +
    `,"validation":{"status":"${m.validation}","errors":${m.validationErrors}}` +
    `,"received_at":"${new Date(m.receivedMs).toISOString()}","content_hash":"${sha256Text(m.contentHash)}"` +
    `,"receipt_url":"${receiptUrl(m, publicUrl)}"` +
    `${hasClientKey(m) ? `,"idempotency_key":${JSON.stringify(m.idempotencyKey)}` : ''}}`
  );
}

/** The service itself gives mails a key. A quote inside of a JSON string would be escaped, so the test is exact. */
function hasClientKey({ idempotencyKey, sender }: StoredMessage): boolean {
  return idempotencyKey !== null && !sender.includes('"provider":"smtp"');
}

type Hashed = Pick<
  StoredMessage,
  'id' | 'threadId' | 'inReplyTo' | 'type' | 'subject' | 'note' | 'jsonSha256' | 'jsonBytesSha256' | 'files'
> & {
  canonicalFrom: string;
  canonicalTo: string;
};

/** The text that content_hash is the SHA-256 of, made from what is stored. Files whose hash came later are given without it. */
export function hashedTextOf(message: StoredMessage): string {
  const canonical = (json: string) => canonicalJson(JSON.parse(json));
  const { beforeTime, afterTime } = hashedText({
    ...message,
    canonicalFrom: canonical(message.sender),
    canonicalTo: canonical(message.recipient),
  });
  return `${beforeTime}${new Date(message.receivedMs).toISOString()}${afterTime}`;
}

/**
 * The RFC 8785 form that content_hash covers, in two pieces: received_at goes between them, which only the transaction that delivers
 * the message knows. The members are in the order of the RFC. Messages without json_bytes_sha256 have a hash without this member: those from before it was
 * recorded have theirs for ever.
 */
export function hashedText(m: Hashed): { beforeTime: string; afterTime: string } {
  const ofBytes = m.jsonBytesSha256 === null ? '' : `,"json_bytes_sha256":${hashOrNull(m.jsonBytesSha256)}`;
  return {
    beforeTime:
      `{"files":${canonicalJson(m.files.map(fileView))},"from":${m.canonicalFrom},"id":"${formatId('msg', m.id)}","in_reply_to":${idOrNull(m.inReplyTo)}` +
      `${ofBytes},"json_sha256":${hashOrNull(m.jsonSha256)},"note":${canonicalJson(m.note)},"received_at":"`,
    afterTime:
      `","subject":${canonicalJson(m.subject)},"thread_id":"${formatId('thr', m.threadId)}"` +
      `,"to":${m.canonicalTo},"type":${canonicalJson(m.type)}}`,
  };
}
