import { type AcknowledgementStatus, refuseContradiction, type SaidWithReply } from '../../contract/acknowledgements.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { ActorView, Caller, PartyView } from '../../contract/parties.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
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

type Acknowledgement = SaidWithReply;

/** Who acknowledges, as in an envelope. */
interface Author {
  party: PartyView;
  actor: ActorView;
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
 * queues the event for the sender's webhooks. What came with replies before is said first.
 */
export function acknowledge(
  database: Database,
  { business, actor }: Caller,
  messageId: string,
  given: Acknowledgement & Expected,
  signed: SignedRequest | undefined,
): Promise<Acknowledged> {
  return withChain(database, business.id, messageId, async (subject) => {
    const chain = await sayDue(subject);
    return say(subject, chain, { party: business.view, actor }, given, signed);
  });
}

/** Says what came with replies to a message. Does nothing if that was said meanwhile. */
export const acknowledgeMessage: Chore<{ party_id: string; message_id: string }> = {
  name: JOBS.acknowledgeMessage,
  run: async (database, _log, { party_id, message_id }) => {
    await withChain(database, BigInt(party_id), message_id, sayDue);
    return undefined;
  },
};

/** A received message, locked in a transaction that can write for both parties. */
interface Subject {
  partyId: bigint;
  senderId: bigint;
  messageId: string;
  of: (partyId: bigint) => Queryable;
  chain: Chain;
}

async function withChain<T>(database: Database, partyId: bigint, messageId: string, work: (subject: Subject) => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MOVES_MAX; tries++) {
    const senderId = await counterpartyNow(database, partyId, messageId);
    if (senderId === undefined) notReceived();
    const done = await inBoth(database, partyId, senderId, async (of) => {
      const chain = (await lockChain(of(partyId), partyId, messageId)) ?? notReceived();
      if (!(await store.holdSent(of(senderId), senderId, messageId))) return 'moved';
      return { result: await work({ partyId, senderId, messageId, of, chain }) };
    });
    if (done !== 'moved') return done.result;
  }
  throw new Error('the ledger of a sender could not be found');
}

/** Limits the retries: the sender's message can join a business between two of them. */
const MOVES_MAX = 5;

/** The commits of the replies have judged it. Returns the chain with what it has then. */
async function sayDue(subject: Subject): Promise<Chain> {
  const { of, partyId, messageId } = subject;
  let { chain } = subject;
  const due = await store.takeDue(of(partyId), partyId, messageId);
  // Nothing but `processed` or `rejected` can follow, and what they follow is `accepted`.
  due.sort((one, other) => Number(other.status === 'accepted') - Number(one.status === 'accepted'));
  for (const { status, reason, sender } of due) {
    await say(subject, chain, JSON.parse(sender), { status, reason, contentHash: undefined, number: undefined }, undefined);
    chain = (await lockChain(of(partyId), partyId, messageId)) ?? notReceived();
  }
  return chain;
}

async function say(
  { partyId, senderId, messageId, of }: Subject,
  chain: Chain,
  author: Author,
  given: Acknowledgement & Expected,
  signed: SignedRequest | undefined,
): Promise<Acknowledged> {
  const [mine, theirs] = [of(partyId), of(senderId)];
  const before = (await store.listAcknowledgements(mine, partyId, messageId)).at(-1);
  if (before && isSame(before, given)) {
    refuseUnexpected(chain, before.chainNumber ?? given.number, given);
    return { record: before, isRepeat: true };
  }
  if (before && !LATER[before.status].includes(given.status)) refuseContradiction(before.status, given.status);
  refuseUnexpected(chain, nextPlace(chain.links).number, given);
  if (signed) await requireValidKey(mine, partyId, signed.keyId);
  const link = await extendChain(mine, chain, 'acknowledgement', (place, at) => statementOf(author, chain, given, place, at));
  const record = {
    number: (before?.number ?? 0) + 1,
    chainNumber: link.number,
    recipientId: partyId,
    status: given.status,
    statement: link.statement,
    logBatch: link.logBatch,
    signed,
  };
  await store.insertAcknowledgement(mine, partyId, messageId, record);
  if (senderId !== partyId) await store.insertAcknowledgement(theirs, senderId, messageId, record);
  await queueEvents(theirs, senderId, 'message.acknowledged', [messageId]);
  await noteInOrder(of, [partyId, senderId]);
  return { record, isRepeat: false };
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
  { party, actor }: Author,
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
    party,
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

function notReceived(): never {
  throw new Refusal('not_found', 'The message was not found in your inbox.');
}
