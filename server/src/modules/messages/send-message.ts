import { canonicalJson } from '../../contract/canonical-json.ts';
import type { Spend } from '../../contract/cost.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { newReceiptToken, newUuid, parseId } from '../../contract/ids.ts';
import { textsOf } from '../../contract/message-fields.ts';
import { type ActorView, isBusiness, type Party } from '../../contract/parties.ts';
import { type Quotas, quotaRefusal } from '../../contract/quotas.ts';
import type { JsonHashes } from '../../platform/json/canonical-bytes.ts';
import type { CanonicalHasher } from '../../platform/json/canonical-hasher.ts';
import type { Clock } from '../../platform/postgres/database-clock.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Blockable, Blocks } from '../blocks/blocks.ts';
import type { Files } from '../files/files.ts';
import { isUnhashed } from '../files/sealing.ts';
import { type InboxSchemas, UNCHECKED } from '../inbox-schema/inbox-schema.ts';
import { findJoined } from '../joined-history/joined-history.ts';
import { type AddressServices, addressIn, recipientAt, refuseNoAddress } from '../parties/directory.ts';
import * as coverage from '../signatures/coverage.ts';
import { refuseUsedUp } from '../usage/usage.ts';
import { refusalOfCommit, refuseContradictory } from './acknowledge-with-reply.ts';
import { hashedText, type PreparedMessage, type StoredMessage } from './envelope.ts';
import type { Ledger } from './ledger.ts';
import { digestOf, isRefusedAlone, type SendRequest } from './send-request.ts';
import {
  findByIdempotencyKey,
  findByMail,
  findFirstRequest,
  findParent,
  findSent,
  hasReceived,
  type MessageRecord,
  type Parent,
} from './store.ts';
import { withFiles } from './with-files.ts';

export interface SendServices extends AddressServices {
  database: Database;
  ledger: Ledger;
  quotas: Quotas;
  files: Files;
  blocks: Blocks;
  schemas: InboxSchemas;
  hasher: CanonicalHasher;
  now: Clock;
}

/** The author of a message. The party may not exist yet. */
interface Writer {
  party: Omit<Party, 'id'> & Partial<Pick<Party, 'id'>>;
  actor: ActorView;
}

export interface Sender extends Writer {
  party: Party;
  /** A guest writes for the party without being a member, and so may not see what others have written for it. */
  isGuest?: true;
  spend?: Spend;
}

export interface Sent {
  message: StoredMessage;
  /** The idempotency key had been used before, and this is the original message. */
  isReplayed: boolean;
  /** The repeat is known to differ from the first request. */
  differs: boolean;
  /** Of a message that was sent now: the position of its entry in the sender's ledger. */
  position?: bigint;
}

/**
 * Every channel sends with this function. The message request is read lazily: a repeat of an idempotency key gets the original message
 * whatever its body, even one that would be refused.
 *
 * @param whenPrepared is called before the commit, and delays it.
 */
export async function sendMessage(
  services: SendServices,
  sender: Sender,
  readRequest: () => SendRequest | Promise<SendRequest>,
  givenKey: string | null,
  whenPrepared?: () => Promise<void>,
): Promise<Sent> {
  let request: SendRequest | undefined;
  let idempotencyKey = givenKey;
  try {
    const read = await readRequest();
    request = read;
    idempotencyKey ??= read.signature?.nonceKey ?? null;
    const key = idempotencyKey;
    const send = async () => {
      const prepared = await prepare(services, sender, read, key);
      if (whenPrepared) await whenPrepared();
      return deliver(services, sender, prepared);
    };
    return await discardIfUnsent(services, read, send);
  } catch (error) {
    if (!(error instanceof Refusal) || idempotencyKey === null) throw error;
    const original = await findByIdempotencyKey(services.database.of(sender.party.id), sender.party.id, idempotencyKey);
    if (!original) throw error;
    const digest = isRefusedAlone(error.code) ? 'another' : request && (await digestOfRefused(services, sender, request));
    return replay(services, sender, original, idempotencyKey, digest);
  }
}

/** Returns undefined if the request names uploads, which may be gone by now. */
async function digestOfRefused(services: SendServices, sender: Sender, request: SendRequest): Promise<Buffer | undefined> {
  if (request.uploadIds.length > 0) return undefined;
  const hashes = await hashesOfJson(services, sender, request);
  return digestOf(request, hashes?.canonical ?? null, request.inlineFiles);
}

async function hashesOfJson({ hasher }: SendServices, { party, spend }: Sender, { json }: SendRequest): Promise<JsonHashes | null> {
  return json === null ? null : hasher.hash(String(party.id), json, spend);
}

async function discardIfUnsent(services: SendServices, request: SendRequest, send: () => Promise<Sent>): Promise<Sent> {
  const unsent = request.sharesFiles ? [] : request.inlineFiles;
  try {
    const sent = await send();
    if (sent.isReplayed) await services.files.discard(unsent);
    return sent;
  } catch (error) {
    // When the connection broke during the commit, nobody knows whether the message was committed. Then the clean-up decides.
    if (error instanceof Refusal) await services.files.discard(unsent);
    throw error;
  }
}

export async function isSent({ database }: SendServices, { party }: Sender, idempotencyKey: string): Promise<boolean> {
  return (await findByIdempotencyKey(database.of(party.id), party.id, idempotencyKey)) !== undefined;
}

export async function findSentAsMail(
  { database }: SendServices,
  partyIds: readonly bigint[],
  mailDigest: Buffer,
): Promise<string | undefined> {
  for (const [shard, ids] of Map.groupBy(partyIds, (id) => database.of(id))) {
    const found = await findByMail(shard, ids, mailDigest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Throws those refusals of sendMessage that depend on the recipient alone. */
export async function checkRecipient(services: SendServices, sender: Sender, target: Pick<SendRequest, 'to' | 'inReplyTo'>): Promise<void> {
  const { recipient } = await destinationOf(services, sender, target);
  await refuseBlocked(services, sender, recipient);
}

/** Throws the refusals of checkRecipient for a first message, whose sender may not have a party yet. */
export async function checkAddress(services: SendServices, writer: Writer, to: string): Promise<void> {
  const { recipient } = await destinationByAddress(services, writer, to);
  await refuseBlocked(services, writer, recipient);
}

async function refuseBlocked({ blocks }: SendServices, writer: Writer, recipient: Party): Promise<void> {
  if (await blocks.covers(recipient.id, blockable(writer))) throw new Refusal('sender_blocked');
}

async function prepare(
  services: SendServices,
  sender: Sender,
  request: SendRequest,
  idempotencyKey: string | null,
): Promise<PreparedMessage> {
  const destination = await destinationOf(services, sender, request);
  const { signature } = request;
  if (signature) coverage.checkRecipient(signature.covered, destination.recipient);
  const { acknowledge } = request;
  if (acknowledge) await refuseContradictory(services.database, sender.party.id, destination.parentId, acknowledge);
  const uploads = request.uploadIds.length === 0 ? [] : await services.files.seal(sender.party, request.uploadIds);
  await refuseBlocked(services, sender, destination.recipient);
  // Hashing reads up to 800 MB, which is only for messages that are sent.
  if (uploads.some(isUnhashed)) await refuseUsedUp(services, sender.party.id);
  const attached = uploads.length === 0 ? [] : await services.files.attach(sender.party, uploads);
  const files = [...request.inlineFiles, ...attached];
  if (signature) coverage.checkFiles(signature.covered, files);
  // The message is delivered whatever the result. Without `json` there is nothing to check.
  const verdict =
    request.json === null ? UNCHECKED : await services.schemas.judge(destination.recipient.id, request.type, request.json, sender.spend);
  const hashes = await hashesOfJson(services, sender, request);
  const from = senderTexts(sender);
  const to = recipientTexts(destination.recipient, destination.segment);
  const message = {
    id: newUuid(),
    threadId: destination.threadId,
    inReplyTo: destination.parentId,
    ...textsOf(request),
    expires_at: expiryOf(services, sender, request),
    jsonSha256: hashes?.canonical ?? null,
    jsonBytesSha256: hashes?.bytes ?? null,
    files,
  };
  const hashed = hashedText({ ...message, canonicalFrom: from.canonical, canonicalTo: to.canonical });
  return {
    ...message,
    senderId: sender.party.id,
    recipientId: destination.recipient.id,
    segment: destination.segment,
    isToBusiness: isBusiness(destination.recipient),
    sender: from.json,
    recipient: to.json,
    json: request.json,
    validation: verdict.status,
    validationErrors: verdict.errors,
    fromEmail: sender.actor.email,
    fromDomain: sender.actor.email?.split('@').at(-1) ?? null,
    receiptToken: newReceiptToken(sender.party.id),
    idempotencyKey,
    hashedBeforeTime: hashed.beforeTime,
    hashedAfterTime: hashed.afterTime,
    inlineBytes: request.inlineFiles.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...(signature && { signature }),
    ...(acknowledge && { acknowledge }),
    mailDigest: request.mailDigest,
    requestDigest: idempotencyKey === null ? undefined : digestOf(request, message.jsonSha256, files),
  };
}

/** A party without a handle has no webhook that could be told, and its messages can move to the ledger of a business. */
function expiryOf({ now }: SendServices, { party }: Sender, { expiresInS }: SendRequest): string | null {
  if (expiresInS === null) return null;
  if (!isBusiness(party)) throw invalid([{ path: '/expires_in', message: 'can be given by a business with a handle only' }]);
  return new Date(now().getTime() + expiresInS * 1_000).toISOString();
}

/** An agent is blocked with its business. A person or mailbox is blocked by itself, by its domain, or with its business. */
function blockable({ party, actor }: Writer): Blockable {
  const partyId = party.id ?? null;
  return actor.kind === 'agent' ? { partyId, actorId: null, email: null } : { partyId, actorId: actor.id, email: actor.email };
}

interface Texts {
  json: string;
  canonical: string;
}

/** Parties and actors are cached objects, so their JSON text lives as long as they do. */
function memoize<T extends object>(describe: (subject: T) => unknown): (subject: T) => Texts {
  const known = new WeakMap<T, Texts>();
  return (subject) => {
    const texts = known.get(subject) ?? { json: JSON.stringify(describe(subject)), canonical: canonicalJson(describe(subject)) };
    known.set(subject, texts);
    return texts;
  };
}

const partyTexts = memoize((party: Party) => party.view);
const actorTexts = memoize((actor: ActorView) => actor);

function senderTexts(sender: Sender): Texts {
  const [party, actor] = [partyTexts(sender.party), actorTexts(sender.actor)];
  return { json: `{"party":${party.json},"actor":${actor.json}}`, canonical: `{"actor":${actor.canonical},"party":${party.canonical}}` };
}

function recipientTexts(recipient: Party, segment: string | null): Texts {
  const { json, canonical } = partyTexts(recipient);
  const rest = `,"segment":${segment === null ? 'null' : `"${segment}"`}}`;
  return { json: `{"party":${json}${rest}`, canonical: `{"party":${canonical}${rest}` };
}

interface Destination {
  recipient: Party;
  segment: string | null;
  threadId: string;
  parentId: string | null;
}

function destinationOf(
  services: SendServices,
  sender: Sender,
  { to, inReplyTo }: Pick<SendRequest, 'to' | 'inReplyTo'>,
): Promise<Destination> {
  return inReplyTo === null ? destinationByAddress(services, sender, to ?? '') : destinationByParent(services, sender, inReplyTo, to);
}

async function destinationByAddress(services: SendServices, writer: Writer, to: string): Promise<Destination> {
  const { recipient, segment } = await recipientAt(services, to);
  refuseAtClosedDoor(writer, recipient);
  return { recipient, segment, threadId: newUuid(), parentId: null };
}

function refuseAtClosedDoor({ party }: Writer, recipient: Party): void {
  if (!isBusiness(party) && isBusiness(recipient) && !recipient.acceptingDrops)
    throw new Refusal('forbidden', `${recipient.displayName} accepts no messages from people without a handle.`);
}

async function destinationByParent(services: SendServices, sender: Sender, inReplyTo: string, to: string | null): Promise<Destination> {
  const address = to === null ? undefined : addressIn(services, to);
  if (to !== null && !address) refuseNoAddress(to);
  const parentId = parseId('msg', inReplyTo);
  const parent = parentId === undefined ? undefined : await findParent(services.database.of(sender.party.id), sender.party.id, parentId);
  const recipient = parent && parentId !== undefined ? await partyNow(services, parent, parentId) : undefined;
  if (!parent || !recipient || parentId === undefined) throw new Refusal('not_found', 'The message to reply to was not found.');
  if (!recipient.takesReplies || !sender.party.takesReplies) throw new Refusal('reply_unaddressable');
  if (to !== null && !(isBusiness(recipient) && address?.handle === recipient.handle)) throw new Refusal('reply_recipient_mismatch');
  // A reply to a received message is always allowed. A follow-up to an own message needs the same permission as a first message.
  if (!isBusiness(sender.party) && !(await hasReceived(services.database.of(sender.party.id), sender.party.id, parent.threadId)))
    refuseAtClosedDoor(sender, recipient);
  // A party that has joined a business since has no known segment there.
  const segmentOfParent = recipient.id === parent.otherPartyId ? parent.segment : null;
  return { recipient, segment: address ? (address.segment ?? null) : segmentOfParent, threadId: parent.threadId, parentId };
}

async function partyNow({ database, parties }: SendServices, parent: Parent, parentId: string): Promise<Party | undefined> {
  const party = await parties.byId(parent.otherPartyId);
  if (!party || isBusiness(party)) return party;
  const joined = await findJoined(database, party.id, parent.threadId, parentId);
  if (joined !== undefined) return parties.byId(joined);
  return (party.view.kind === 'domain' && (await parties.ownerOf(party.view.domain))) || party;
}

async function deliver(services: SendServices, sender: Sender, prepared: PreparedMessage): Promise<Sent> {
  const commit = services.ledger.commit(prepared);
  const committed = await (prepared.signature || prepared.acknowledge ? commit.catch(refusalOfCommit(prepared)) : commit);
  const { outcome, messageId, receivedMs } = committed;
  if (outcome === 'accepted') {
    const { contentHash, position } = committed;
    return {
      message: { ...prepared, json: prepared.json?.toString('utf8') ?? null, receivedMs, contentHash },
      isReplayed: false,
      differs: false,
      position,
    };
  }
  if (outcome !== 'replayed') throw quotaRefusal(outcome, services.quotas, new Date(receivedMs));
  const original = await findSent(services.database.of(sender.party.id), sender.party.id, messageId);
  if (!original) throw new Error('the message that an idempotency key stands for is gone');
  return replay(services, sender, original, prepared.idempotencyKey ?? '', prepared.requestDigest);
}

/** Idempotency keys belong to the party, so a guest may hit the key of another person. */
async function replay(
  services: SendServices,
  { party, actor, isGuest }: Sender,
  original: MessageRecord,
  key: string,
  digest: Buffer | 'another' | undefined,
): Promise<Sent> {
  if (isGuest && JSON.parse(original.sender).actor.id !== actor.id)
    throw new Refusal('conflict', `Somebody else who writes for ${party.view.display_name} has used this Idempotency-Key; choose another.`);
  await services.ledger.finish(party.id, original.id);
  const first = Buffer.isBuffer(digest) ? await findFirstRequest(services.database.of(party.id), party.id, key) : undefined;
  const differs = digest === 'another' || (first !== undefined && digest !== undefined && !first.equals(digest));
  return { message: await withFiles(services, party.id, original), isReplayed: true, differs };
}
