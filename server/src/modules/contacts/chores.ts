import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs.ts';
import { ownersOf, renameContact } from './store.ts';

const AT_ONCE = 500;

/** Sorts a business that has a new display name by that name, in all contacts that have it. */
const sortByNewName: Chore<{ party_id: string }> = {
  name: JOBS.renameContact,
  run: async (database, _log, { party_id }) => {
    const otherId = BigInt(party_id);
    for (const shard of database.shards) {
      const owners = (await ownersOf(shard, otherId)).sort((a, b) => (a < b ? -1 : 1));
      for (let at = 0; at < owners.length; at += AT_ONCE) await renameContact(shard, owners.slice(at, at + AT_ONCE), otherId);
    }
  },
};

export const contactChores = [sortByNewName];
