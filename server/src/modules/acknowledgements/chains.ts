import type { Queryable } from '../../platform/postgres/postgres.ts';
import { batchTimeAfter, handOverStatement, type Link, leafOf, linksOf, nextPlace, type Place, timeAfter } from './chain.ts';
import { insertHandOvers, keyOf, type LockedMessage, lockMessages, logLeaves, type Received, readLinks } from './chain-store.ts';

/** What is in the log about a received message, which is locked until the end of the transaction. */
export interface Chain {
  message: LockedMessage;
  links: Link[];
}

/**
 * Locks the chains of received messages. Hand-overs that were noted and have no number yet get one here, so that nothing can be said of a message
 * before them. Leaves out messages that are not in the inbox of the party. At most as many messages as a batch of the log has leaves.
 */
export async function lockChains(tx: Queryable, messages: readonly Received[]): Promise<Chain[]> {
  const locked = await lockMessages(tx, messages);
  const rows = await readLinks(tx, messages);
  const chains = locked.map((message) => ({
    message,
    links: linksOf(message, rows.get(keyOf({ partyId: message.partyId, messageId: message.id })) ?? []),
  }));
  await numberNoted(tx, chains);
  return chains;
}

export async function lockChain(tx: Queryable, partyId: bigint, messageId: string): Promise<Chain | undefined> {
  const [chain] = await lockChains(tx, [{ partyId, messageId }]);
  return chain;
}

/** One batch of the log has the leaves of all of them. */
async function numberNoted(tx: Queryable, chains: readonly Chain[]): Promise<void> {
  const added = chains.flatMap(({ message, links }) => {
    if (!message.noted) return [];
    const { way } = message.noted;
    const at = timeAfter(links, message.receivedAt, message.noted.at);
    const place = nextPlace(links);
    const batchTime = batchTimeAfter(links, message.receivedAt, message.messageBatch, message.now);
    return [{ message, links, way, at, number: place.number, statement: handOverStatement(message, place, at, way), batchTime }];
  });
  if (added.length === 0) return;
  const latest = new Date(Math.max(...added.map(({ batchTime }) => batchTime.getTime())));
  const logBatch = await logLeaves(
    tx,
    added.map(({ statement }) => leafOf('hand-over', statement)),
    latest,
  );
  const rows = added.map(({ message, way, at, number }) => ({ partyId: message.partyId, messageId: message.id, way, at, number }));
  await insertHandOvers(tx, rows, logBatch);
  for (const [logSlot, { links, at, number, statement }] of added.entries())
    links.push({ number, kind: 'hand-over', at, statement, logBatch, logSlot });
}

/** Logs the next statement about a message, which `state` makes. */
export async function extendChain(
  tx: Queryable,
  { message, links }: Chain,
  kind: Link['kind'],
  state: (place: Place, at: Date) => string,
): Promise<Link> {
  const place = nextPlace(links);
  const at = timeAfter(links, message.receivedAt, momentOf(kind, message));
  const statement = state(place, at);
  const batchTime = batchTimeAfter(links, message.receivedAt, message.messageBatch, message.now);
  const logBatch = await logLeaves(tx, [leafOf(kind, statement)], batchTime);
  return { number: place.number, kind, at, statement, logBatch, logSlot: 0 };
}

/** That nobody took a message in time can't be said before that time, whatever the clock of the recipient's shard says. */
function momentOf(kind: Link['kind'], { now, expiresAt }: LockedMessage): Date {
  return kind === 'non-delivery' && expiresAt !== null ? new Date(Math.max(now.getTime(), Date.parse(expiresAt))) : now;
}
