import { NOTIFICATION_MAIL_DELAY_S } from '../../contract/limits.ts';
import type { MailFrequency } from '../../contract/people.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import * as store from './notification-mail-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAILY_AT_MS = 7 * HOUR_MS;

/** The time at which notifications are mailed of which the first came at `since`. The delay lets others join its mail. */
export function dueAt(frequency: Exclude<MailFrequency, 'never'>, since: Date): Date {
  const ms = since.getTime();
  switch (frequency) {
    case 'at_once':
      return new Date(ms + NOTIFICATION_MAIL_DELAY_S * 1_000);
    case 'hourly':
      return new Date((Math.floor(ms / HOUR_MS) + 1) * HOUR_MS);
    case 'daily':
      return new Date((Math.floor((ms - DAILY_AT_MS) / DAY_MS) + 1) * DAY_MS + DAILY_AT_MS);
  }
}

interface DueNotifications {
  email: string;
  by: string[];
  threadIds: string[];
  mentions: number;
  assignments: number;
}

/**
 * Mails the unread and unmailed notifications, if they are due, in the transaction that takes them: so each is mailed once. Otherwise the
 * check is repeated when they are due. A person who has left the business, or has no mailbox, gets nothing.
 */
export async function mailDue(
  database: Database,
  partyId: bigint,
  personId: string,
  mail: (tx: Queryable, due: DueNotifications) => Promise<void>,
): Promise<void> {
  const shard = database.of(partyId);
  const member = await store.findMember(database, partyId, personId);
  const since = await store.waitingSince(shard, partyId, personId);
  if (!member || since === null) return;
  if (member.frequency === 'never') {
    await store.takeForMail(shard, partyId, personId);
    return;
  }
  const due = dueAt(member.frequency, since);
  if (due.getTime() > Date.now()) return store.queueNotificationMailAt(database, partyId, personId, due);
  await shard.transaction(async (tx) => {
    const taken = await store.takeForMail(tx, partyId, personId);
    if (taken.length === 0) return;
    const mentions = taken.filter(({ kind }) => kind === 'mention').length;
    await mail(tx, {
      email: member.email,
      by: [...new Set(taken.map(({ by_name }) => by_name))],
      threadIds: [...new Set(taken.map(({ thread_id }) => thread_id))],
      mentions,
      assignments: taken.length - mentions,
    });
  });
}
