import { JOBS } from '../../contract/jobs-and-channels.ts';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { awaitRounds } from '../following/following.ts';
import { indexContacts, ownersOf, partiesToIndex, renameContact } from './store.ts';

const AT_ONCE = 500;

const sortByNewName: Chore<{ party_id: string }> = {
  name: JOBS.renameContact,
  run: async (database, _log, { party_id }) => {
    const otherId = BigInt(party_id);
    for (const shard of database.shards) {
      // A round that is under way may write a contact with the former name.
      await awaitRounds(shard);
      const owners = (await ownersOf(shard, otherId)).sort((a, b) => (a < b ? -1 : 1));
      for (let at = 0; at < owners.length; at += AT_ONCE) await renameContact(shard, owners.slice(at, at + AT_ONCE), otherId);
    }
  },
};

/**
 * Indexes contacts for searches: once an hour for every business, and at once for one whose search has queued it. A search also reads
 * contacts without grams, so most businesses, which have few contacts, need no index.
 */
const indexForSearch: Chore<{ party_id?: string }> = {
  name: JOBS.indexContacts,
  schedule: '7 * * * *',
  run: async (database, _log, job) => {
    const { party_id: id } = job;
    if (id !== undefined) return (await indexSome(database.of(BigInt(id)), BigInt(id))) ? job : undefined;
    for (const shard of database.shards)
      for (const partyId of await partiesToIndex(shard, AT_ONCE)) if (await indexSome(shard, partyId)) return job;
    return undefined;
  },
};

/** Returns whether contacts are left. */
function indexSome(shard: Database, partyId: bigint): Promise<boolean> {
  return inPart(async () => (await indexContacts(shard, partyId, AT_ONCE)) === AT_ONCE);
}

export const contactChores: Chore[] = [sortByNewName, indexForSearch];
