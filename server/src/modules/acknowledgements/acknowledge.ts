import type { AcknowledgementStatus } from '../../contract/acknowledgements.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import type { ActorView, Business, Caller, PartyView } from '../../contract/parties.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { counterpartyNow } from '../messages/counterparty.ts';
import { sha256Text } from '../messages/envelope.ts';
import type { SignedRequest } from '../signatures/signed-request.ts';
import { noteChange } from '../threads/change-threads.ts';
import { queueEvents } from '../webhooks/events.ts';
import * as store from './store.ts';

interface Acknowledgement {
  status: AcknowledgementStatus;
  reason: string | null;
}

/** The statement in the log. Its canonical JSON is the leaf. */
export interface AcknowledgementStatement extends Acknowledgement {
  actor: ActorView;
  at: string;
  content_hash: string;
  message: string;
  party: PartyView;
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
  given: Acknowledgement,
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
  { messageId, given, signed }: { messageId: string; given: Acknowledgement; signed: SignedRequest | undefined },
): Promise<Acknowledged | 'moved'> {
  const { business } = caller;
  return inBoth(database, business.id, senderId, async (of) => {
    const [mine, theirs] = [of(business.id), of(senderId)];
    const received = (await store.lockReceived(mine, business.id, messageId)) ?? notReceived();
    if (!(await store.holdSent(theirs, senderId, messageId))) return 'moved';
    const before = (await store.listAcknowledgements(mine, business.id, messageId)).at(-1);
    if (before && isSame(before, given)) return { record: before, isRepeat: true };
    if (before && !LATER[before.status].includes(given.status)) refuseChange(before.status, given.status);
    const statement = statementOf(caller, messageId, received, given);
    const logBatch = await store.logStatement(mine, statement, received.now);
    const number = (before?.number ?? 0) + 1;
    const record = { number, recipientId: business.id, status: given.status, statement, logBatch, signed };
    await store.insertAcknowledgement(mine, business.id, messageId, record);
    if (senderId !== business.id) await store.insertAcknowledgement(theirs, senderId, messageId, record);
    await queueEvents(theirs, senderId, 'message.acknowledged', [messageId]);
    await noteInOrder(of, [business.id, senderId]);
    return { record, isRepeat: false };
  });
}

function inBoth<T>(database: Database, one: bigint, other: bigint, work: (of: (partyId: bigint) => Queryable) => Promise<T>): Promise<T> {
  const shard = database.of(one);
  return shard === database.of(other) ? shard.transaction((tx) => work(() => tx)) : database.acrossShards(work);
}

/**
 * Notes changes last, and in ascending order of parties. Otherwise two businesses that acknowledge each other's messages would deadlock.
 */
async function noteInOrder(of: (partyId: bigint) => Queryable, partyIds: readonly bigint[]): Promise<void> {
  for (const id of [...new Set(partyIds)].sort((a, b) => (a < b ? -1 : 1))) await noteChange(of(id), id);
}

function statementOf(
  { business, actor }: { business: Business; actor: ActorView },
  messageId: string,
  { contentHash, now }: store.Received,
  { status, reason }: Acknowledgement,
): string {
  const statement: AcknowledgementStatement = {
    actor,
    at: now.toISOString(),
    content_hash: sha256Text(contentHash),
    message: formatId('msg', messageId),
    party: business.view,
    reason,
    status,
  };
  return canonicalJson(statement);
}

function isSame({ status, statement }: store.AcknowledgementRecord, given: Acknowledgement): boolean {
  return status === given.status && JSON.parse(statement).reason === given.reason;
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
