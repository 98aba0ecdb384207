import type { AcknowledgementStatus } from '../../contract/acknowledgements.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import type { ActorView, Caller, PartyView } from '../../contract/parties.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { counterpartyNow } from '../messages/counterparty.ts';
import { sha256Text } from '../messages/envelope.ts';
import type { SignedRequest } from '../signatures/signed-request.ts';
import { requireValidKey } from '../signatures/signing-keys.ts';
import { noteChange } from '../threads/change-threads.ts';
import { queueEvents } from '../webhooks/events.ts';
import { nextPlace, type Place } from './chain.ts';
import { type Chain, extendChain, lockChain } from './chains.ts';
import * as store from './store.ts';

interface Acknowledgement {
  status: AcknowledgementStatus;
  reason: string | null;
}

/** What the recipient takes for the message and for the next number of its chain. A signature covers both. */
export interface Expected {
  contentHash: string | undefined;
  number: number | undefined;
}

/** The statement in the log. Its canonical JSON is the leaf. */
export interface AcknowledgementStatement extends Acknowledgement {
  actor: ActorView;
  at: string;
  content_hash: string;
  message: string;
  /** Missing, like `previous`, in statements from before hand-overs were logged. */
  number?: number;
  party: PartyView;
  previous?: string | null;
}

interface Acknowledged {
  record: store.AcknowledgementRecord;
  isRepeat: boolean;
}

/** An accepted message can still be processed or rejected. Those two are final. */
const LATER: Readonly<Record<AcknowledgementStatus, readonly AcknowledgementStatus[]>> = {
  accepted: ['processed', 'rejected'],
  processed: [],
  rejected: [],
};

/**
 * The recipient of a message says what becomes of it. One transaction, also across two shards, writes it for both parties, logs it, and
 * queues the event for the sender's webhooks.
 */
export async function acknowledge(
  database: Database,
  caller: Caller,
  messageId: string,
  given: Acknowledgement & Expected,
  signed: SignedRequest | undefined,
): Promise<Acknowledged> {
  for (let tries = 0; tries < MOVES_MAX; tries++) {
    const senderId = await counterpartyNow(database, caller.business.id, messageId);
    if (senderId === undefined) notReceived();
    const acknowledged = await acknowledgeTo(database, caller, senderId, { messageId, given, signed });
    if (acknowledged !== 'moved') return acknowledged;
  }
  throw new Error('the ledger of a sender could not be found');
}

/** Limits the retries: the sender's message can join a business between two of them. */
const MOVES_MAX = 5;

function acknowledgeTo(
  database: Database,
  caller: Caller,
  senderId: bigint,
  { messageId, given, signed }: { messageId: string; given: Acknowledgement & Expected; signed: SignedRequest | undefined },
): Promise<Acknowledged | 'moved'> {
  const { business } = caller;
  return inBoth(database, business.id, senderId, async (of) => {
    const [mine, theirs] = [of(business.id), of(senderId)];
    const chain = (await lockChain(mine, business.id, messageId)) ?? notReceived();
    if (!(await store.holdSent(theirs, senderId, messageId))) return 'moved';
    const before = (await store.listAcknowledgements(mine, business.id, messageId)).at(-1);
    if (before && isSame(before, given)) {
      refuseUnexpected(chain, before.chainNumber ?? given.number, given);
      return { record: before, isRepeat: true };
    }
    if (before && !LATER[before.status].includes(given.status)) refuseChange(before.status, given.status);
    refuseUnexpected(chain, nextPlace(chain.links).number, given);
    if (signed) await requireValidKey(mine, business.id, signed.keyId);
    const link = await extendChain(mine, chain, 'acknowledgement', (place, at) => statementOf(caller, chain, given, place, at));
    const record = {
      number: (before?.number ?? 0) + 1,
      chainNumber: link.number,
      recipientId: business.id,
      status: given.status,
      statement: link.statement,
      logBatch: link.logBatch,
      signed,
    };
    await store.insertAcknowledgement(mine, business.id, messageId, record);
    if (senderId !== business.id) await store.insertAcknowledgement(theirs, senderId, messageId, record);
    await queueEvents(theirs, senderId, 'message.acknowledged', [messageId]);
    await noteInOrder(of, [business.id, senderId]);
    return { record, isRepeat: false };
  });
}

export function inBoth<T>(
  database: Database,
  one: bigint,
  other: bigint,
  work: (of: (partyId: bigint) => Queryable) => Promise<T>,
): Promise<T> {
  const shard = database.of(one);
  return shard === database.of(other) ? shard.transaction((tx) => work(() => tx)) : database.acrossShards(work);
}

/**
 * Notes changes last, and in ascending order of parties. Otherwise two businesses that acknowledge each other's messages would deadlock.
 */
export async function noteInOrder(of: (partyId: bigint) => Queryable, partyIds: readonly bigint[]): Promise<void> {
  for (const id of [...new Set(partyIds)].sort((a, b) => (a < b ? -1 : 1))) await noteChange(of(id), id);
}

function statementOf(
  { business, actor }: Caller,
  { message }: Chain,
  { status, reason }: Acknowledgement,
  { number, previous }: Place,
  at: Date,
): string {
  const statement: AcknowledgementStatement = {
    actor,
    at: at.toISOString(),
    content_hash: sha256Text(message.contentHash),
    message: formatId('msg', message.id),
    number,
    party: business.view,
    previous,
    reason,
    status,
  };
  return canonicalJson(statement);
}

function isSame({ status, statement }: store.AcknowledgementRecord, given: Acknowledgement): boolean {
  return status === given.status && JSON.parse(statement).reason === given.reason;
}

/** `number`: that of the acknowledgement, which may have been there before. */
function refuseUnexpected({ message, links }: Chain, number: number | undefined, expected: Expected): void {
  const contentHash = sha256Text(message.contentHash);
  if (expected.contentHash !== undefined && expected.contentHash !== contentHash)
    throw new Refusal('conflict', `The message has another content_hash: ${contentHash}. Read the message before you acknowledge it.`);
  if (expected.number === undefined || expected.number === number) return;
  const next = nextPlace(links).number;
  const reason = number === next ? 'Something was said of the message meanwhile' : `The same was said before, with the number ${number}`;
  throw new Refusal('conflict', `${reason}. The next number is ${next}: read the acknowledgements of the message, and decide again.`);
}

function refuseChange(before: AcknowledgementStatus, status: AcknowledgementStatus): never {
  throw new Refusal(
    'conflict',
    before === status
      ? `The message is ${before} already, with another reason.`
      : `The message is ${before} already, which can’t be changed to ${status}.`,
  );
}

function notReceived(): never {
  throw new Refusal('not_found', 'The message was not found in your inbox.');
}
