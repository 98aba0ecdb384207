import { Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { DISPLAY_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { parseDomain } from '../../contract/mail-names.ts';
import { isReservedHandle, parseHandle } from '../../contract/names.ts';
import type { Business, Party } from '../../contract/parties.ts';
import { Cache } from '../../platform/cache.ts';
import { type ChangeFeed, changingCached } from '../../platform/change-feed.ts';
import { type Database, isUniqueViolation } from '../../platform/postgres.ts';
import * as store from './store.ts';

/** Who there is. Every send looks its recipient up here, so what was seen is kept in memory. */
export class PartyDirectory {
  readonly #database: Database;
  readonly #businesses: Cache<Business>;
  readonly #parties: Cache<Party>;

  constructor(database: Database, feed: ChangeFeed) {
    this.#database = database;
    this.#businesses = new Cache(feed);
    this.#parties = new Cache(feed);
  }

  byHandle(handle: string): Promise<Business | undefined> {
    return this.#businesses.load(handle, () => store.findByHandle(this.#database, handle));
  }

  /** The business that has shown the mail domain to be its own. */
  ownerOf(domain: string): Promise<Business | undefined> {
    return this.#businesses.load(`@${domain}`, () => store.findByDomain(this.#database, domain));
  }

  /** Of whatever kind it is. */
  byId(id: bigint): Promise<Party | undefined> {
    return this.#parties.load(id.toString(), () => store.findById(this.#database, id));
  }

  find(name: store.PartyName): Promise<bigint | undefined> {
    return store.findId(this.#database, name);
  }

  /** The party of that name, which is made if there is none. */
  async addUnclaimed(name: store.PartyName): Promise<bigint> {
    const known = await this.find(name);
    if (known !== undefined) return known;
    await store.insertUnclaimed(this.#database, name);
    const id = await this.find(name);
    if (id === undefined) throw new Error('a party that was just made is gone');
    return id;
  }

  /** A mailbox that sends mail, whoever's party it belongs to. */
  mailboxId(email: string): Promise<string> {
    return store.mailboxId(this.#database, newUuid(), email);
  }

  /** The operator vouches that the domain is the business's own. */
  async verifyDomain(business: Business, text: string): Promise<string> {
    const domain = parseDomain(text);
    if (domain === undefined) throw new Refusal('validation_error', `"${text}" is not a domain such as example.com.`);
    try {
      await changingCached(this.#database, (tx) => store.insertVerifiedDomain(tx, business.id, domain));
    } catch (error) {
      if (isUniqueViolation(error)) throw new Refusal('conflict', `The domain ${domain} belongs to another business.`);
      throw error;
    }
    return domain;
  }

  async removeDomain(business: Business, text: string): Promise<string> {
    const domain = parseDomain(text) ?? text;
    if (await changingCached(this.#database, (tx) => store.deleteVerifiedDomain(tx, business.id, domain))) return domain;
    throw new Refusal('not_found', `The business ${business.handle} has no domain ${domain}.`);
  }

  startingWith(prefix: string, after: string, limit: number): Promise<{ handle: string; display_name: string }[]> {
    return store.searchByPrefix(this.#database, prefix, after, limit);
  }

  /** `claimed` tells a business that a person claimed, which is limited at first, from one that the operator vouches for. */
  async create(handleText: string, displayName: string, claimed = false): Promise<Business> {
    const handle = parseHandle(handleText);
    if (handle === undefined)
      throw new Refusal(
        'validation_error',
        `"${handleText}" can't be a handle: 2 to 32 letters, digits and hyphens, no hyphen at either end.`,
      );
    if (isReservedHandle(handle)) throw new Refusal('conflict', `The handle ${handle} is reserved.`);
    const name = displayName.trim();
    if (name === '' || [...name].length > DISPLAY_NAME_MAX_CHARS || name.includes('\0')) {
      throw new Refusal('validation_error', `A display name has 1 to ${DISPLAY_NAME_MAX_CHARS} characters.`);
    }
    try {
      return await this.#database.transaction((tx) => store.insertBusiness(tx, handle, name, claimed));
    } catch (error) {
      if (isUniqueViolation(error)) throw new Refusal('conflict', `The handle ${handle} is already taken.`);
      throw error;
    }
  }
}
