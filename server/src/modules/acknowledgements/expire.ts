import type { Logger } from 'pino';
import { EXPIRIES_AT_ONCE, EXPIRY_LOOKED_AT_AFTER_S } from '../../contract/limits.ts';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { queueEvents } from '../webhooks/events.ts';
import { inBoth, noteInOrder } from './acknowledge.ts';
import { nonDeliveryStatement } from './chain.ts';
import { extendChain, lockChain } from './chains.ts';
import { type Expiry, endExpiry, findDue, insertNonDelivery, postpone } from './expiry-store.ts';
import { recipientNow } from './recipient.ts';

/** A message waits for a minute that is not in the inbox of its recipient: its other half is on its way, or it joins a business at this moment. */
const POSTPONED_S = 60 - EXPIRY_LOOKED_AT_AFTER_S;

/** Looks at messages whose time to be taken is over. Shards have turns of some messages each, so that a busy one keeps no other waiting. */
export const expireMessages: Chore<{ shards?: number[] }> = {
  name: 'expire-messages',
  schedule: '* * * * *',
  run: async (database, log, { shards = [...database.shards.keys()] }) => {
    const waiting = [...shards];
    let expired = 0;
    const hasMore = await inPart(async () => {
      const [shard = 0] = waiting.splice(0, 1);
      const turn = await expireSome(database, shard, log);
      expired += turn.expired;
      if (turn.hasMore) waiting.push(shard);
      return waiting.length > 0;
    });
    if (expired > 0) log.info({ expired }, 'messages that nobody took in time');
    return hasMore ? { shards: waiting } : undefined;
  },
};

/** A message that fails, or a shard, does not keep the others waiting. The next run tries it again. */
async function expireSome(database: Database, number: number, log: Logger): Promise<{ expired: number; hasMore: boolean }> {
  const shard = database.of(BigInt(number));
  let expired = 0;
  try {
    const due = await findDue(shard, EXPIRY_LOOKED_AT_AFTER_S, EXPIRIES_AT_ONCE);
    for (const expiry of due) {
      const outcome = await expire(database, expiry).catch((error) => {
        log.warn(error, 'a message could not expire, and is tried again');
        return 'away' as const;
      });
      if (outcome === 'expired') expired++;
      if (outcome === 'away') await postpone(shard, expiry, POSTPONED_S);
    }
    return { expired, hasMore: due.length === EXPIRIES_AT_ONCE };
  } catch (error) {
    log.warn(error, `messages of shard ${number} could not expire, and are tried again`);
    return { expired, hasMore: false };
  }
}

/**
 * Logs that nobody took a message, and tells its sender. One transaction, also across two shards, does that or finds that somebody took it. Somebody took
 * a message if one of the recipient’s systems did (a hand-over), or if it was acknowledged.
 */
async function expire(database: Database, expiry: Expiry): Promise<'expired' | 'taken' | 'away'> {
  const { senderId, messageId } = expiry;
  const recipientId = await recipientNow(database, senderId, messageId);
  if (recipientId === undefined) return 'away';
  return inBoth(database, recipientId, senderId, async (of) => {
    const [theirs, mine] = [of(recipientId), of(senderId)];
    const chain = await lockChain(theirs, recipientId, messageId);
    if (!chain) return 'away';
    if (!(await endExpiry(mine, expiry)) || chain.links.length > 0) return 'taken';
    const link = await extendChain(theirs, chain, 'non-delivery', (place, at) => nonDeliveryStatement(chain.message, place, at));
    await insertNonDelivery(theirs, recipientId, messageId, link);
    await queueEvents(mine, senderId, 'message.expired', [messageId]);
    await noteInOrder(of, [recipientId, senderId]);
    return 'expired';
  });
}
