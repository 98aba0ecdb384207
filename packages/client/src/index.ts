export { canonicalJson } from './canonical-json.ts';
export * from './client.ts';
export type { ConsumeOptions, Handler, HandlerContext } from './consume.ts';
export type { Consumer, ConsumerSettings, LeasedMessage } from './consumer.ts';
export { DOCUMENT_FORMS, type DocumentForm } from './document.ts';
export type { DownloadedFile, DownloadOptions } from './download.ts';
export { type Detail, type ErrorCode, WaybillError } from './errors.ts';
export type { WaybillEvent } from './events.ts';
export type { FollowOptions } from './follow.ts';
export {
  type Components,
  checkCoverage,
  contentDigest,
  isDigestOf,
  isSignatureGenuine,
  newSigningKeyPair,
  parseParameters,
  parseSignature,
  type SignableRequest,
  SignatureFault,
  type SignatureParameters,
  type SigningKey,
  signatureBase,
  signRequest,
} from './http-signature.ts';
export { elementsAt, endOf, JsonText, memberText, type Span } from './json-text.ts';
export { JsonNumber, JsonObject, type LosslessJson, parseLossless, writeLossless } from './lossless-json.ts';
export { type EnvelopeFields, type Message, readMessage } from './message.ts';
export { ALWAYS_HASHED, HASHED_IF_GIVEN, type HashedTexts, NO_HASHED_TEXTS } from './message-texts.ts';
export type { InputOf, Operation, ResponseOf } from './operations.ts';
export type { Page, Pages } from './pages.ts';
export type { ProofOptions, ReceiptProofOptions } from './proof.ts';
export { checkReceipt, jsonHash, type ReceiptCheck } from './receipt.ts';
/** The types of the API: `Api.Envelope`, `Api.Thread`, … */
export type * as Api from './schema.ts';
export type { Reply, SaidWithReply, SendOptions, SendRequest, SentFile, SentMessage } from './send.ts';
export type { ManyRequest, SendOutcome } from './send-many.ts';
export { newSha256, type Sha256 } from './sha256.ts';
export { filesHash, isNamed, type NamedParty, partyName, recipientName } from './signed-recipient.ts';
export type { Fetch, RequestOptions } from './transport.ts';
export type { Content, UploadedFile, UploadOptions, UploadProgress } from './upload.ts';
export { isWeakKey } from './weak-keys.ts';
export {
  signWebhook,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookFault,
  WebhookVerificationError,
} from './webhook-signature.ts';
