import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid, parseId } from '../../contract/ids.ts';
import { isWithin, parseDomain } from '../../contract/mail-names.ts';
import { Cache } from '../../platform/cache.ts';
import { type ChangeFeed, changingCached } from '../../platform/change-feed.ts';
import type { Database } from '../../platform/postgres.ts';
import * as store from './store.ts';

export type { Block } from './store.ts';

/** What of a sender can be blocked. */
export interface Blockable {
  /** Of a person or a mailbox; agents are not blocked one by one. */
  userId: string | null;
  /** Of the mailbox, or those that the business has verified. */
  domains: readonly string[];
}

/** Whom each business does not want to hear from. Every send asks, so the answers are kept in memory. */
export class Blocks {
  readonly #database: Database;
  readonly #cache: Cache<store.Block[]>;

  constructor(database: Database, feed: ChangeFeed) {
    this.#database = database;
    this.#cache = new Cache(feed);
  }

  async covers(partyId: bigint, sender: Blockable): Promise<boolean> {
    if (sender.userId === null && sender.domains.length === 0) return false;
    return isCovered(await this.of(partyId), sender);
  }

  async of(partyId: bigint): Promise<store.Block[]> {
    return (await this.#cache.load(String(partyId), () => store.listBlocks(this.#database, partyId, null, null))) ?? [];
  }

  list(partyId: bigint, afterId: string | null, limit: number): Promise<store.Block[]> {
    return store.listBlocks(this.#database, partyId, afterId, limit);
  }

  /** Holds in every process once it returns. */
  async add(
    partyId: bigint,
    given: { user_id?: string | null; email_domain?: string | null },
  ): Promise<{ block: store.Block; isNew: boolean }> {
    const wanted = blockOf(given);
    return changingCached(this.#database, (tx) => store.insertBlock(tx, partyId, { id: newUuid(), ...wanted }));
  }

  async remove(partyId: bigint, id: string): Promise<void> {
    const blockId = parseId('blk', id);
    const found = blockId !== undefined && (await changingCached(this.#database, (tx) => store.deleteBlock(tx, partyId, blockId)));
    if (!found) throw new Refusal('not_found', 'There is no such block.');
  }
}

export function isCovered(blocks: readonly store.Block[], { userId, domains }: Blockable): boolean {
  return blocks.some(
    (block) =>
      (block.userId !== null && block.userId === userId) ||
      domains.some((domain) => block.emailDomain !== null && isWithin(domain, block.emailDomain)),
  );
}

function blockOf({ user_id, email_domain }: { user_id?: string | null; email_domain?: string | null }): {
  userId: string | null;
  emailDomain: string | null;
} {
  if ((user_id ?? null) === null && (email_domain ?? null) === null) refuse('', 'needs user_id or email_domain');
  if (user_id != null && email_domain != null) refuse('/email_domain', 'must not come along with user_id: make two blocks');
  if (user_id != null) {
    const isOne = parseId('usr', user_id) !== undefined || parseId('mbx', user_id) !== undefined;
    return isOne
      ? { userId: user_id, emailDomain: null }
      : refuse('/user_id', 'must be the id of a person or mailbox: from.actor.id of a message');
  }
  const emailDomain = parseDomain((email_domain as string).trim().replace(/^@/, ''));
  return emailDomain === undefined ? refuse('/email_domain', 'must be a domain such as example.com') : { userId: null, emailDomain };
}

function refuse(path: string, message: string): never {
  throw invalid([{ path, message }]);
}
