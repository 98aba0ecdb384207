import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid, parseId } from '../../contract/ids.ts';
import { BLOCKS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { parseDomain } from '../../contract/mail-names.ts';
import { parseHandle } from '../../contract/names.ts';
import { entriesOf } from '../../contract/records.ts';
import { Cache } from '../../platform/postgres/cache.ts';
import { type ChangeFeed, changeCached } from '../../platform/postgres/change-feed.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import * as store from './store.ts';

export type { Block, Blockable } from './store.ts';

/** Exactly one of the fields is given. */
interface BlockRequest {
  user_id?: string | null;
  email_domain?: string | null;
  handle?: string | null;
}

/** Every send checks the blocks, so the results are cached. */
export class Blocks {
  readonly #database: Database;
  readonly #parties: PartyDirectory;
  /** Key: party. Value: whether it has any blocks, which most have not. */
  readonly #some: Cache<boolean>;
  /** Key: recipient and sender. Value: whether the recipient has blocked the sender. */
  readonly #verdicts: Cache<boolean>;

  constructor(database: Database, feed: ChangeFeed, parties: PartyDirectory) {
    this.#database = database;
    this.#parties = parties;
    this.#some = new Cache(feed);
    this.#verdicts = new Cache(feed);
  }

  async covers(recipientId: bigint, sender: store.Blockable): Promise<boolean> {
    if (!(await this.#hasSome(recipientId))) return false;
    const { partyId, actorId, email } = sender;
    const key = `${recipientId} ${partyId} ${actorId} ${email}`;
    // The result also depends on the verified domains of the sender's business.
    const owners = () => (partyId === null ? [recipientId] : [recipientId, partyId]);
    return this.#verdicts.load(key, () => store.isBlocked(this.#database.of(recipientId), recipientId, sender), owners);
  }

  async among(partyId: bigint, otherIds: readonly bigint[]): Promise<Set<string>> {
    return (await this.#hasSome(partyId)) ? store.blockedAmong(this.#database.of(partyId), partyId, otherIds) : new Set();
  }

  list(partyId: bigint, afterId: string | null, limit: number): Promise<store.Block[]> {
    return store.listBlocks(this.#database.of(partyId), partyId, afterId, limit);
  }

  /** Takes effect in every process before it returns. */
  async add(partyId: bigint, given: BlockRequest): Promise<{ block: store.Block; isNew: boolean }> {
    const wanted = await this.#targetOf(given);
    return changeCached(this.#database, partyId, async (tx) => {
      const known = await store.lockAndFind(tx, partyId, wanted);
      if (known) return { block: known, isNew: false };
      if (!(await store.hasRoom(tx, partyId, BLOCKS_PER_BUSINESS_MAX)))
        throw new Refusal('conflict', `A business can have ${BLOCKS_PER_BUSINESS_MAX} blocks at most: remove one first.`);
      return { block: await store.insertBlock(tx, partyId, newUuid(), wanted), isNew: true };
    });
  }

  async remove(partyId: bigint, id: string): Promise<void> {
    const blockId = parseId('blk', id);
    const found = blockId !== undefined && (await changeCached(this.#database, partyId, (tx) => store.deleteBlock(tx, partyId, blockId)));
    if (!found) throw new Refusal('not_found', 'The block was not found.');
  }

  async #hasSome(partyId: bigint): Promise<boolean> {
    const read = async () => !(await store.hasRoom(this.#database.of(partyId), partyId, 1));
    return this.#some.load(String(partyId), read, () => [partyId]);
  }

  async #targetOf(given: BlockRequest): Promise<store.Target> {
    const { kind, text } = theOneOf(given);
    if (kind === 'user_id') return { userId: checkedUserId(text), emailDomain: null, businessId: null };
    if (kind === 'email_domain') return { userId: null, emailDomain: checkedDomain(text), businessId: null };
    const handle = parseHandle(text) ?? refuse('/handle', 'must be a handle');
    const business = await this.#parties.byHandle(handle);
    if (!business) throw new Refusal('not_found', `No business has claimed the handle ${handle}.`);
    return { userId: null, emailDomain: null, businessId: business.id };
  }
}

function theOneOf({ user_id, email_domain, handle }: BlockRequest): { kind: keyof BlockRequest; text: string } {
  const given = entriesOf({ user_id, email_domain, handle }).flatMap(([kind, text]) => (text == null ? [] : [{ kind, text }]));
  const [first, second] = given;
  if (!first) refuse('', 'needs one of user_id, email_domain and handle');
  if (second) refuse(`/${second.kind}`, `must not be given along with ${first.kind}: create two blocks`);
  return first;
}

function checkedUserId(id: string): string {
  const isOne = parseId('usr', id) !== undefined || parseId('mbx', id) !== undefined;
  return isOne ? id : refuse('/user_id', 'must be the id of a person or mailbox: from.actor.id of a message');
}

function checkedDomain(text: string): string {
  return parseDomain(text.trim().replace(/^@/, '')) ?? refuse('/email_domain', 'must be a domain such as example.com');
}

function refuse(path: string, message: string): never {
  throw invalid([{ path, message }]);
}
