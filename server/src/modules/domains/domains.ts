import { randomBytes } from 'node:crypto';
import { getDomain } from 'tldts';
import { Refusal } from '../../contract/errors.ts';
import { DOMAINS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { parseDomain } from '../../contract/mail-names.ts';
import type { Business } from '../../contract/parties.ts';
import type { ConsumerMail } from '../../platform/mail/consumer-mail.ts';
import type { NameServers } from '../../platform/outbound/name-servers.ts';
import { type Change, changeCached } from '../../platform/postgres/change-feed.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import * as store from './store.ts';

export interface DomainServices {
  database: Database;
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
  nameServers: NameServers;
}

const TOKEN_BYTES = 20;
const RECORD_LABEL = '_waybill';
/** The name of the record is longer than the domain, and has the same limit. */
const RECORD_NAME_MAX_CHARS = 253;

export function recordOf(domain: string, token: string): { name: string; value: string } {
  return { name: `${RECORD_LABEL}.${domain}`, value: `waybill-verification=${token}` };
}

export function listDomains({ database }: DomainServices, business: Business): Promise<store.DomainRow[]> {
  return store.listDomains(database, business.id);
}

/** Anybody can request a domain. It is verified once its DNS has the record. */
export async function requestDomain(services: DomainServices, business: Business, text: string): Promise<store.DomainRow> {
  const domain = checkedDomain(services, text);
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const isKnown = await services.database.transaction((tx) =>
    store.insertRequest(tx, business.id, domain, token, DOMAINS_PER_BUSINESS_MAX),
  );
  if (!isKnown) throw new Refusal('conflict', `A business can have ${DOMAINS_PER_BUSINESS_MAX} domains at most.`);
  return getDomainOf(services, business, domain);
}

export async function checkDomain(services: DomainServices, business: Business, text: string): Promise<store.DomainRow> {
  const row = await getDomainOf(services, business, text);
  const { domain, token, verified_at } = row;
  if (token === null) return row;
  const texts = await services.nameServers.textsAt(recordOf(domain, token).name);
  if (texts === undefined) throw new Refusal('unavailable', `The DNS of ${domain} did not respond. Try again later.`, { retryAfterS: 10 });
  const isThere = holds(texts, domain, token);
  // Only the daily check takes a verified domain away.
  if (isThere && verified_at === null) await takeOver(services, business, { domain, token }, texts);
  else await store.noteCheck(services.database, business.id, domain, isThere);
  return getDomainOf(services, business, domain);
}

export async function chooseSenders(
  services: DomainServices,
  business: Business,
  text: string,
  senders: store.DomainSenders,
): Promise<store.DomainRow> {
  const { domain } = await getDomainOf(services, business, text);
  const isVerified = await store.updateSenders(services.database, business.id, domain, senders);
  if (!isVerified) throw new Refusal('conflict', `Verify ${domain} first: until then, nobody can send for your business from it.`);
  return getDomainOf(services, business, domain);
}

/** The operator vouches for a domain without DNS, permanently. */
export function vouchForDomain({ parties }: Pick<DomainServices, 'parties'>, business: Business, text: string): Promise<string> {
  return parties.verifyDomain(business, text, (tx, domain) => store.deleteRequest(tx, business.id, domain));
}

/** Removes both rows in one transaction: a domain without its request would look like one that the operator vouches for. */
export async function removeDomain({ database, parties }: DomainServices, business: Business, text: string): Promise<void> {
  const domain = parseDomain(text) ?? noSuchDomain();
  await changeCached(database, business.id, async (tx) => {
    const wasRequested = await store.deleteRequest(tx, business.id, domain);
    const wasVerified = await parties.releaseDomain(tx, business.id, domain);
    if (!wasRequested && !wasVerified) noSuchDomain();
  });
}

export async function hasRecord({ nameServers }: DomainServices, domain: string, token: string): Promise<boolean | undefined> {
  const texts = await nameServers.textsAt(recordOf(domain, token).name);
  return texts && holds(texts, domain, token);
}

function holds(texts: readonly string[], domain: string, token: string): boolean {
  return texts.some((found) => found.trim() === recordOf(domain, token).value);
}

/** A domain that changed hands goes to the business that controls its DNS now. */
async function takeOver(
  { parties }: DomainServices,
  business: Business,
  { domain, token }: { domain: string; token: string },
  texts: readonly string[],
): Promise<void> {
  const makeWay = async (tx: Change) => {
    // The business may have given up the domain during the look-up.
    const isRequested = await store.noteCheck(tx, business.id, domain, true, token);
    if (!isRequested) noSuchDomain();
    const holder = await store.findHolder(tx, domain);
    const isGivenUp = holder !== undefined && holder.partyId !== business.id && !holds(texts, domain, holder.token);
    if (isGivenUp) await parties.releaseDomain(tx, holder.partyId, domain);
  };
  await parties.verifyDomain(business, domain, makeWay);
}

async function getDomainOf({ database }: DomainServices, business: Business, text: string): Promise<store.DomainRow> {
  const domain = parseDomain(text);
  const row = domain === undefined ? undefined : await store.findDomain(database, business.id, domain);
  return row ?? noSuchDomain();
}

function noSuchDomain(): never {
  throw new Refusal('not_found', 'The domain was not found.');
}

function checkedDomain({ consumerMail }: DomainServices, text: string): string {
  const refuse = (message: string): never => {
    throw new Refusal('validation_error', message, { details: [{ path: '/domain', message }] });
  };
  const domain = parseDomain(text) ?? refuse('It must be a domain such as acme-works.com.');
  if (getDomain(domain, { allowPrivateDomains: true }) === null)
    refuse(`${domain} is shared by many organisations, so it can’t belong to one business.`);
  if (`${RECORD_LABEL}.${domain}`.length > RECORD_NAME_MAX_CHARS) refuse(`${domain} is too long for a DNS record below it.`);
  if (consumerMail.gives(domain)) refuse(`${domain} gives mailboxes to anybody, so it can’t belong to one business.`);
  return domain;
}
