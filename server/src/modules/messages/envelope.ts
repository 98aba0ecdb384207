import { messageDocument } from '@waybill/documents';
import type { SaidWithReply } from '../../contract/acknowledgements.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { formatId, formatReceiptToken } from '../../contract/ids.ts';
import { DOCUMENT_FACTS_MAX_BYTES } from '../../contract/limits.ts';
import { MESSAGE_TEXTS, type MessageTexts, TEXT_NAMES } from '../../contract/message-fields.ts';
import { Breaks } from '../../platform/fairness/breaks.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import { isNonceKey, type MessageSignature } from '../signatures/signed-request.ts';
import { receiptErrors, withoutValues } from './receipt-errors.ts';

/** A delivered message. `sender`, `recipient` and `validationErrors` are JSON text of the moment of delivery. */
export interface StoredMessage extends MessageTexts {
  id: string;
  recipientId: bigint;
  threadId: string;
  inReplyTo: string | null;
  sender: string;
  recipient: string;
  json: string | null;
  jsonSha256: Buffer | null;
  /** The hash of `json` as it was sent. Null without one, and for messages from before this hash was recorded. */
  jsonBytesSha256: Buffer | null;
  validation: 'passed' | 'failed' | 'not_applicable';
  validationErrors: string;
  receivedMs: number;
  contentHash: Buffer;
  receiptToken: Buffer;
  idempotencyKey: string | null;
  files: readonly DeliveredFile[];
}

/** A message with everything that is known before the transaction that delivers it. */
export interface PreparedMessage extends Omit<StoredMessage, 'json' | 'receivedMs' | 'contentHash'> {
  senderId: bigint;
  segment: string | null;
  /** The recipient has a handle. */
  isToBusiness: boolean;
  json: Buffer | null;
  fromEmail: string | null;
  fromDomain: string | null;
  hashedBeforeTime: string;
  hashedAfterTime: string;
  /** The bytes of files in the request, which count toward the day's limit. Uploads have been counted before. */
  inlineBytes: number;
  signature?: MessageSignature;
  /** What the reply says of the message that it replies to. */
  acknowledge?: SaidWithReply;
  /** Identifies the mail that the message is made of, among those to its business. */
  mailDigest?: Buffer | undefined;
  /** The digest of a message request with an idempotency key. Unknown if another process has prepared the message. */
  requestDigest?: Buffer | undefined;
  /** Found with the batch that the message is committed in. */
  document?: string | null;
}

/** What an envelope depends on beside its message. */
export interface Shown {
  publicUrl: string;
  downloadUrls: readonly string[];
  /** The party that reads it. */
  readerId: bigint;
}

/** The JSON is spliced from text, never serialized again: `json` stays byte for byte as sent. */
export function envelopeJson(message: StoredMessage, shown: Shown): string {
  return `${opening(message)},"json":${message.json ?? 'null'},${closingFor(message, shown)}`;
}

/** An envelope that has the size of `json` in place of `json`. */
export function summaryJson(message: StoredMessage, jsonBytes: number | null, shown: Shown): string {
  return `${opening(message)},"json_bytes":${jsonBytes},${closingFor(message, shown)}`;
}

/** The errors of a schema name its values to the recipient alone, whose schema it is. */
function closingFor(message: StoredMessage, { publicUrl, downloadUrls, readerId }: Shown): string {
  const { validationErrors } = message;
  const isAsStored = readerId === message.recipientId || validationErrors === '[]';
  const shown = isAsStored ? message : { ...message, validationErrors: withoutValues(validationErrors) };
  return closing(shown, publicUrl, filesFor(message, downloadUrls));
}

function filesFor({ files }: StoredMessage, downloadUrls: readonly string[]): object[] {
  return files.map((file, i) => ({ ...fileView(file), download_url: downloadUrls[i] }));
}

/** The public receipt: everybody with its token sees it. */
export function receiptJson(message: StoredMessage, publicUrl: string): string {
  const shown = { ...message, validationErrors: receiptErrors(message.validationErrors) };
  return `${opening(shown)},${closing(shown, publicUrl, message.files.map(fileView))}`;
}

/** The receipt of a sender who shows as little as possible: the parties, the time and the hashes. */
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

export function receiptUrl({ receiptToken }: Pick<StoredMessage, 'receiptToken'>, publicUrl: string): string {
  return `${publicUrl}/r/${formatReceiptToken(receiptToken)}`;
}

/** Leaves out the download URL, which only the parties get. */
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
    `,"from":${m.sender},"to":${m.recipient}${TEXT_NAMES.map((name) => `,"${name}":${JSON.stringify(m[name])}`).join('')}`
  );
}

function closing(m: StoredMessage, publicUrl: string, files: readonly object[]): string {
  return (
    `"json_sha256":${hashOrNull(m.jsonSha256)},"json_bytes_sha256":${hashOrNull(m.jsonBytesSha256)},"files":${files.length === 0 ? '[]' : JSON.stringify(files)}` +
    `,"validation":{"status":"${m.validation}","errors":${m.validationErrors}}` +
    `,"received_at":"${new Date(m.receivedMs).toISOString()}","content_hash":"${sha256Text(m.contentHash)}"` +
    `,"receipt_url":"${receiptUrl(m, publicUrl)}"` +
    `${m.idempotencyKey !== null && !isNonceKey(m.idempotencyKey) ? `,"idempotency_key":${JSON.stringify(m.idempotencyKey)}` : ''}}`
  );
}

type Hashed = Pick<StoredMessage, 'id' | 'threadId' | 'inReplyTo' | 'jsonSha256' | 'jsonBytesSha256' | 'files' | keyof MessageTexts> & {
  canonicalFrom: string;
  canonicalTo: string;
};

/**
 * The members that content_hash covers, in canonical form. A member whose text is undefined is left out. Messages from before
 * json_bytes_sha256 was recorded keep their hash forever.
 */
const HASHED_MEMBERS: Record<string, (m: Hashed) => string | undefined> = {
  files: (m) => canonicalJson(m.files.map(fileView)),
  from: (m) => m.canonicalFrom,
  id: (m) => `"${formatId('msg', m.id)}"`,
  in_reply_to: (m) => idOrNull(m.inReplyTo),
  json_bytes_sha256: (m) => (m.jsonBytesSha256 === null ? undefined : hashOrNull(m.jsonBytesSha256)),
  json_sha256: (m) => hashOrNull(m.jsonSha256),
  thread_id: (m) => `"${formatId('thr', m.threadId)}"`,
  to: (m) => m.canonicalTo,
  ...Object.fromEntries(TEXT_NAMES.filter((name) => MESSAGE_TEXTS[name].hashed !== 'never').map((name) => [name, hashedMember(name)])),
};

function hashedMember(name: keyof MessageTexts): (m: Hashed) => string | undefined {
  const isOptional = MESSAGE_TEXTS[name].hashed === 'if given';
  return (m) => (isOptional && m[name] === null ? undefined : canonicalJson(m[name]));
}

/** The order is that of RFC 8785. */
const HASHED_NAMES = Object.keys(HASHED_MEMBERS).toSorted();
const BEFORE_TIME = HASHED_NAMES.filter((name) => name < 'received_at');
const AFTER_TIME = HASHED_NAMES.filter((name) => name > 'received_at');

function membersOf(names: readonly string[], m: Hashed): string {
  let text = '';
  for (const name of names) {
    const value = HASHED_MEMBERS[name]?.(m);
    if (value !== undefined) text += `${text === '' ? '' : ','}"${name}":${value}`;
  }
  return text;
}

/**
 * What each message says of its thread's document, for the column `document`. It is found at the commit, where the JSON is at hand: to read it again for each of the two
 * parties cost nearly as much as the send (docs/adr/0016-thread-index.md).
 */
export async function findDocuments(batch: readonly PreparedMessage[]): Promise<void> {
  const breaks = new Breaks();
  for (const message of batch) {
    message.document = documentOf(message);
    await breaks.takeIfDue();
  }
}

function documentOf({ type, json }: PreparedMessage): string | null {
  const isReadable = json !== null && json.length <= DOCUMENT_FACTS_MAX_BYTES;
  const document = messageDocument(type, isReadable ? json.toString('utf8') : null);
  if (document === undefined) return null;
  const { dueDate: due_date, ...rest } = document;
  return JSON.stringify({ ...rest, due_date });
}

/** The text whose SHA-256 is content_hash, made from the stored message. Files that were hashed later are given without their hash. */
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
 * The RFC 8785 form that content_hash covers, in two pieces. received_at goes between them, and only the transaction that delivers the
 * message knows it.
 */
export function hashedText(m: Hashed): { beforeTime: string; afterTime: string } {
  return { beforeTime: `{${membersOf(BEFORE_TIME, m)},"received_at":"`, afterTime: `",${membersOf(AFTER_TIME, m)}}` };
}
