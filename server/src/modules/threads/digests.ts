import type { Logger } from 'pino';
import { Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { VIEW_DIGESTS_PER_MEMBER_MAX } from '../../contract/limits.ts';
import { type Business, type Caller, isBusiness } from '../../contract/parties.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { type Database, isUnavailable, type Queryable } from '../../platform/postgres/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { noteChange } from './change-store.ts';
import { colleagueOf } from './colleagues.ts';
import * as store from './digest-store.ts';
import { dueAt } from './due-notifications.ts';
import type { Count, ThreadCounts } from './thread-counts.ts';
import { findView } from './view-store.ts';
import { toView, type View, type ViewServices } from './views.ts';

export const DIGEST_CHOICES = [...store.DIGEST_FREQUENCIES, 'never'] as const;
type DigestChoice = (typeof DIGEST_CHOICES)[number];

const AT_ONCE = 100;

export async function chooseDigest(services: ViewServices, caller: Caller, viewId: string, choice: DigestChoice): Promise<View> {
  const { id: partyId } = caller.business;
  const member = colleagueOf(caller);
  const uuid = parseId('view', viewId);
  if (choice !== 'never') await refuseWithoutMailbox(services.database, caller);
  const row = await services.database.of(partyId).transaction(async (tx) => {
    // Changes of views are serialized, so that the limit holds.
    await noteChange(tx, partyId);
    const view = uuid === undefined ? undefined : await findView(tx, partyId, member, uuid);
    if (!view) throw new Refusal('not_found', 'The view was not found.');
    if (choice === 'never') {
      await store.removeDigest(tx, partyId, view.id, member.id);
      return view;
    }
    const told_through = String(await store.indexedThrough(tx, partyId));
    const digest = { party_id: String(partyId), view_id: view.id, person_id: member.id, frequency: choice, told_through };
    await store.saveDigest(tx, digest, dueAt(choice, new Date()));
    if ((await store.countDigests(tx, partyId, member.id)) > VIEW_DIGESTS_PER_MEMBER_MAX)
      throw new Refusal('conflict', `You can get mails about ${VIEW_DIGESTS_PER_MEMBER_MAX} views at most.`);
    return view;
  });
  return toView(services, caller, row);
}

async function refuseWithoutMailbox(database: Database, { by }: Caller): Promise<void> {
  const email = by.kind === 'key' ? null : by.person.email;
  if (email === null) throw new Refusal('conflict', 'Sign in with an e-mail code once: mails go to a verified mailbox only.');
  if (await store.isUnsubscribed(database, email))
    throw new Refusal(
      'conflict',
      'Your mailbox is unsubscribed. Choose in your account how often you get notification mails, then try again.',
    );
}

interface DueDigest {
  email: string;
  business: Business;
  frequency: store.DigestFrequency;
  viewId: string;
  threads: Count;
}

export interface DigestServices {
  parties: PartyDirectory;
  threadCounts: ThreadCounts;
}

type MailDigest = (tx: Queryable, due: DueDigest) => Promise<void>;

/** Mails the due digests. Sends do no work for digests: the threads of a view are counted when its digest is due. */
export async function mailDueDigests(services: DigestServices, database: Database, log: Logger, mail: MailDigest): Promise<void> {
  for (const shard of database.shards) {
    let due: store.DigestRow[];
    do {
      due = await store.dueDigests(shard, new Date(), AT_ONCE);
      for (const digest of due) {
        try {
          await mailDigest(services, database, digest, mail);
        } catch (error) {
          if (isUnavailable(error)) throw error;
          // A failing digest delays no other.
          log.error(error, 'a digest failed');
          await store.advanceDigest(shard, digest, BigInt(digest.told_through), dueAt(digest.frequency, new Date()));
        }
      }
    } while (due.length === AT_ONCE);
  }
}

/** Counts the new threads since the last digest, as far as they are indexed. The mail and the digest's progress share one transaction. */
async function mailDigest(services: DigestServices, database: Database, digest: store.DigestRow, mail: MailDigest): Promise<void> {
  const { view_id: viewId, person_id: personId, frequency } = digest;
  const partyId = BigInt(digest.party_id);
  const shard = database.of(partyId);
  const business = await services.parties.byId(partyId);
  const member = await store.findMember(database, partyId, personId);
  const view = member && (await findView(shard, partyId, { kind: 'person', id: personId }, viewId));
  if (!business || !isBusiness(business) || !member || !view) return store.removeDigest(shard, partyId, viewId, personId);
  const range = { after: BigInt(digest.told_through), through: await store.indexedThrough(shard, partyId) };
  const reader = { kind: 'person', id: personId, since: BigInt(member.joinedAt.getTime()) * POSITIONS_PER_MS } as const;
  // Threads that were read need no mail. Sent messages are nobody's news, except in a view of them.
  const filter = view.filter.box === 'out' ? view.filter : { unread: true, ...view.filter };
  const threads = await services.threadCounts.inRange(business, reader, filter, range);
  await shard.transaction(async (tx) => {
    if (!(await store.advanceDigest(tx, digest, range.through, dueAt(frequency, new Date())))) return;
    if (threads.count > 0) await mail(tx, { email: member.email, business, frequency, viewId, threads });
  });
}
