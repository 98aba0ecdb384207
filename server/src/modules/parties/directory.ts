import { checkedDisplayName } from '../../contract/display-names.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { DISPLAY_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { parseDomain } from '../../contract/mail-names.ts';
import { parseRecipient } from '../../contract/mail-recipients.ts';
import { type Address, isReservedHandle, parseAddress, parseHandle } from '../../contract/names.ts';
import type { Business, Party, ReceiptDetail } from '../../contract/parties.ts';
import { Cache } from '../../platform/postgres/cache.ts';
import { type Change, type ChangeFeed, changeCached } from '../../platform/postgres/change-feed.ts';
import { type Database, isUniqueViolation, type Queryable } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';

type HandleObjection = 'taken' | 'reserved' | 'invalid';

interface BusinessChange {
  displayName?: string;
  acceptingDrops?: boolean;
  receipts?: ReceiptDetail;
  hasAgentCard?: boolean;
}

/** Finds parties. Every send looks its recipient up here, so parties are cached. */
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
    return this.#businesses.load(handle, () => store.findByHandle(this.#database, handle), ownerOf);
  }

  ownerOf(domain: string): Promise<Business | undefined> {
    return this.#businesses.load(`@${domain}`, () => store.findByDomain(this.#database, domain), ownerOf);
  }

  byId(id: bigint): Promise<Party | undefined> {
    return this.#parties.load(id.toString(), () => store.findById(this.#database, id), ownerOf);
  }

  find(name: store.PartyName): Promise<bigint | undefined> {
    return store.findId(this.#database, name);
  }

  async addUnclaimed(name: store.PartyName): Promise<bigint> {
    const known = await this.find(name);
    if (known !== undefined) return known;
    await store.insertUnclaimed(this.#database, name);
    const id = await this.find(name);
    if (id === undefined) throw new Error('a party that was just made is gone');
    return id;
  }

  mailboxId(email: string): Promise<string> {
    return store.mailboxId(this.#database, newUuid(), email);
  }

  /** Verifies a domain for the business. `first` runs before that, in the same transaction. */
  async verifyDomain(business: Business, text: string, first: (tx: Change, domain: string) => Promise<unknown>): Promise<string> {
    const domain = parseDomain(text);
    if (domain === undefined) throw new Refusal('validation_error', `"${text}" is not a domain such as example.com.`);
    try {
      await changeCached(this.#database, business.id, async (tx) => {
        await first(tx, domain);
        await store.insertVerifiedDomain(tx, business.id, domain);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new Refusal('conflict', `The domain ${domain} belongs to another business.`);
      throw error;
    }
    return domain;
  }

  async removeDomain(business: Business, text: string): Promise<string> {
    const domain = parseDomain(text) ?? text;
    if (await changeCached(this.#database, business.id, (tx) => store.deleteVerifiedDomain(tx, business.id, domain))) return domain;
    throw new Refusal('not_found', `The business ${business.handle} has no domain ${domain}.`);
  }

  releaseDomain(tx: Change, businessId: bigint, domain: string): Promise<boolean> {
    tx.alsoConcerns(businessId);
    return store.deleteVerifiedDomain(tx, businessId, domain);
  }

  startingWith(prefix: string, after: string, limit: number): Promise<{ handle: string; display_name: string }[]> {
    return store.searchByPrefix(this.#database, prefix, after, limit);
  }

  async change(business: Business, change: BusinessChange): Promise<Business> {
    const name =
      change.displayName === undefined ? undefined : checkedDisplayName(change.displayName, '/display_name', DISPLAY_NAME_MAX_CHARS);
    return changeCached(this.#database, business.id, async (tx) => {
      if (name !== undefined && name !== business.displayName) {
        await refuseCopiedName(tx, name, business.id);
        await store.queueRename(tx, business.id);
      }
      return store.updateBusiness(tx, business.id, name, change);
    });
  }

  /** Makes threads of a party without a handle join a business: all, or those that one mailbox began. */
  async joinHistory(tx: Queryable, business: Business, name: store.PartyName, mailbox: string | null): Promise<void> {
    const unclaimed = await store.findId(tx, name);
    if (unclaimed !== undefined) await store.queueJoin(tx, business.id, unclaimed, mailbox);
  }

  /** Returns the normalized handle, or an invalid one as given, and whether it can be claimed. */
  async judge(text: string): Promise<{ handle: string; objection: HandleObjection | null }> {
    const handle = parseHandle(text);
    if (handle === undefined) return { handle: text, objection: 'invalid' };
    if (isReservedHandle(handle)) return { handle, objection: 'reserved' };
    return { handle, objection: (await this.byHandle(handle)) ? 'taken' : null };
  }

  /** `isClaimed` marks a business claimed by a person. At first it has lower limits than one created by the operator. */
  async create(
    handleText: string,
    displayName: string,
    isClaimed = false,
    along: (tx: Queryable, business: Business) => Promise<void> = async () => {},
  ): Promise<Business> {
    const { handle, objection } = await this.judge(handleText);
    if (objection !== null) throw refusalOf(handle, objection);
    const name = checkedDisplayName(displayName, '/display_name', DISPLAY_NAME_MAX_CHARS);
    try {
      return await this.#database.transaction(async (tx) => {
        const business = await store.insertBusiness(tx, handle, name, isClaimed);
        // The operator vouches for a business that it creates.
        if (isClaimed) await refuseCopiedName(tx, name, business.id);
        await along(tx, business);
        return business;
      });
    } catch (error) {
      // A concurrent request has claimed the handle.
      if (isUniqueViolation(error)) throw refusalOf(handle, 'taken');
      throw error;
    }
  }
}

const ownerOf = ({ id }: Party) => [id];
async function refuseCopiedName(tx: Queryable, name: string, ownId: bigint): Promise<void> {
  if (await store.isNameOfVerified(tx, name, ownId))
    throw new Refusal('conflict', 'A business with a verified domain has this display name, or one that looks like it. Choose another.');
}

function refusalOf(handle: string, objection: HandleObjection): Refusal {
  if (objection === 'invalid')
    return wrong('/handle', `"${handle}" can't be a handle: 2 to 32 letters, digits and hyphens, no hyphen at either end.`);
  return new Refusal('conflict', objection === 'reserved' ? `The handle ${handle} is reserved.` : `The handle ${handle} is already taken.`);
}

function wrong(path: string, message: string): Refusal {
  return new Refusal('validation_error', message, { details: [{ path, message }] });
}

export interface AddressServices {
  parties: PartyDirectory;
  /** The domain of incoming mail. `<handle>+<segment>@` this domain also addresses a recipient. */
  inboundDomain: string;
}

/** A domain or mailbox, which can't be the address of a business. */
const UNCLAIMED_NAME = /[@.]/;

/** The address is `<handle>` or `<handle>/<segment>`, perhaps with a leading @, or the mail address of either. */
export function addressIn({ inboundDomain }: AddressServices, to: string): Address | undefined {
  return parseAddress(to.startsWith('@') ? to.slice(1) : to) ?? parseRecipient(to, inboundDomain);
}

export function refuseNoAddress(to: string): void {
  if (!UNCLAIMED_NAME.test(to)) throw invalid([{ path: '/to', message: 'must be <handle> or <handle>/<segment>' }]);
}

export async function recipientAt(services: AddressServices, to: string): Promise<{ recipient: Business; segment: string | null }> {
  const address = addressIn(services, to);
  if (!address) {
    refuseNoAddress(to);
    throw new Refusal(
      'unknown_recipient',
      'Only a business that has claimed a handle can be written to; a domain or mailbox can only be replied to.',
    );
  }
  const recipient = await services.parties.byHandle(address.handle);
  if (!recipient) throw new Refusal('unknown_recipient', `No business has claimed the handle ${address.handle}.`);
  return { recipient, segment: address.segment ?? null };
}
